//! A compiled model in memory, shared by all models with values of its parameters.

use std::cell::Cell;

use hamel::lanes::Lanes;
use hamel_compiler::schedule::groups::Group;
use hamel_compiler::schedule::methods::Factor;

use crate::call::{FACTORS, FUNCTIONS, GROUPS, Given, LANES, MOST_LISTS};
use crate::error::Error;
use crate::image::{Call, Destination, Image, InLanes, Kernel, ModelFunction, Rows, Setup, Sum};
use crate::memory::Code;
use crate::places::Instance;

/// Data and machine code.
pub(crate) struct Program {
    pub image: Image,
    code: Code,
    /// Places that an instance has at most, of all that it reads.
    pub most_places: usize,
    /// By function of the model, where all of its calls add to its slices.
    direct: Vec<Option<Direct>>,
}

/// A function of the model whose calls add to its slices, with what these take in one place: in small models, looking
/// that up takes longer than the arithmetic.
pub(crate) struct Direct {
    /// Slices: how long they are, and how many values at the beginning are zero before the calls.
    slices: [(usize, usize); MOST_LISTS],
    calls: Vec<DirectCall>,
    pub reads_inputs: bool,
}

struct DirectCall {
    code: u32,
    kernel: usize,
    row: usize,
}

/// Constants of a kernel, row by row.
#[derive(Clone, Default)]
pub(crate) struct Constants {
    all: Vec<f64>,
    each: usize,
}

/// The same for instances in lanes.
#[derive(Default)]
pub(crate) struct LaneConstants {
    all: Vec<Lanes<LANES>>,
    each: usize,
}

/// What a function in lanes is given: lists with a value of each instance for each of theirs.
pub(crate) struct LaneArguments<'a> {
    pub t: &'a [f64],
    pub inputs: &'a [f64],
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub a: &'a [f64],
    pub lambda: &'a [f64],
    pub tau: &'a [f64],
    pub factors: [f64; FACTORS],
}

/// The numbers of lanes, one after the other.
pub(crate) fn numbers(lanes: &[Lanes<LANES>]) -> &[f64] {
    // SAFETY: lanes are arrays of so many numbers, without anything between them.
    unsafe { std::slice::from_raw_parts(lanes.as_ptr().cast(), LANES * lanes.len()) }
}

/// The same, to be written.
pub(crate) fn numbers_mut(lanes: &mut [Lanes<LANES>]) -> &mut [f64] {
    // SAFETY: as for `numbers`.
    unsafe { std::slice::from_raw_parts_mut(lanes.as_mut_ptr().cast(), LANES * lanes.len()) }
}

/// Whether a list begins where code may read and write two numbers at once.
pub(crate) fn is_aligned(list: &[f64]) -> bool {
    list.is_empty() || list.as_ptr().addr().is_multiple_of(16)
}

/// What a function of the model is given; what it does not read may be empty.
#[derive(Clone, Copy, Default)]
pub(crate) struct Arguments<'a> {
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub a: &'a [f64],
    pub lambda: &'a [f64],
    pub tau: &'a [f64],
    pub w: &'a [f64],
    pub factors: [f64; FACTORS],
}

/// Room for inputs and results of a call, and for the places of an instance; what was left there stays.
#[derive(Default)]
struct Room {
    values: Vec<f64>,
    places: Vec<u32>,
}

thread_local! {
    /// Kept, so that no step allocates.
    static ROOM: Cell<Room> = const { Cell::new(Room { values: Vec::new(), places: Vec::new() }) };
    /// The same for results of several instances.
    static LANE_ROOM: Cell<Vec<Lanes<LANES>>> = const { Cell::new(Vec::new()) };
}

/// Calls a function with room for so many values and places.
pub(crate) fn with_room<R>(n_values: usize, n_places: usize, call: impl FnOnce(&mut [f64], &mut [u32]) -> R) -> R {
    let mut room = ROOM.take();
    let Room { values, places } = &mut room;
    values.resize(values.len().max(n_values), 0.0);
    places.resize(places.len().max(n_places), 0);
    let result = call(&mut values[..n_values], &mut places[..n_places]);
    ROOM.set(room);
    result
}

impl Program {
    /// Makes the machine code of a model executable.
    ///
    /// # Errors
    /// Where the operating system does not allow it.
    pub fn new(image: Image) -> Result<Program, Error> {
        let code = Code::new(&image.code)?;
        let direct = image.functions.iter().map(|function| Direct::of(function, &image.kernels)).collect();
        let of_kernel = |kernel: &Kernel| kernel.places.iter().map(|places| places.each).sum();
        let most_places = image.kernels.iter().map(of_kernel).max().unwrap_or(0);
        Ok(Program { image, code, most_places, direct })
    }

    /// The values of a function of parameters.
    pub fn setup(&self, setup: &Setup, parameters: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; setup.len()];
        let mut given = Given::new([0.0; FACTORS]);
        given.values[Group::Constants as usize] = parameters.as_ptr();
        // SAFETY: the routine reads parameters of the model or, in the setup of a kernel, those of a row, and fills as many
        // values as its outputs have.
        unsafe { self.code.call(setup.code, &given, &[values.as_mut_ptr()]) };
        values
    }

    /// Defaults of all parameters, each from those before it.
    pub fn defaults(&self) -> Vec<f64> {
        let n = self.image.description.info.parameters.len();
        let mut parameters = vec![0.0; n];
        let mut known = 0;
        for default in &self.image.defaults {
            let values = self.setup(default, &parameters);
            parameters[known..known + values.len()].copy_from_slice(&values);
            known += values.len();
        }
        parameters
    }

    /// The constants of all kernels.
    pub fn constants(&self, parameters: &[f64]) -> Vec<Constants> {
        let members = self.setup(&self.image.members, parameters);
        let of = |kernel: &Kernel| {
            let Some(setup) = &kernel.setup else { return Constants::default() };
            let rows = expanded(&kernel.rows, &self.image.members, &members);
            Constants { all: rows.iter().flat_map(|row| self.setup(setup, row)).collect(), each: setup.len() }
        };
        self.image.kernels.iter().map(of).collect()
    }

    /// Configuration to start assembly from.
    pub fn reference_configuration(&self, parameters: &[f64]) -> Vec<f64> {
        let setup = &self.image.reference_configuration;
        expanded(&self.image.reference_coordinates, setup, &self.setup(setup, parameters)).concat()
    }

    /// The place of a function that every model has.
    pub fn function(&self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| unreachable!("no function of models is called {name}"))
    }

    /// The place of a function of the model.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.image.functions.iter().position(|function| function.name == name)
    }

    /// A function of the model whose calls add to its slices.
    #[inline(always)]
    pub fn direct(&self, function: usize) -> Option<&Direct> {
        self.direct[function].as_ref()
    }

    /// Fills the slices of a function of the model.
    ///
    /// # Panics
    /// When a list has another length than the model's.
    #[inline(always)]
    pub fn evaluate_directly<const N: usize>(
        &self,
        direct: &Direct,
        constants: &[Constants],
        arguments: Arguments,
        inputs: &[f64],
        slices: [&mut [f64]; N],
    ) {
        let mut lists = [std::ptr::null_mut(); N];
        for ((list, slice), &(len, zeros)) in lists.iter_mut().zip(slices).zip(&direct.slices) {
            if slice.len() != len {
                refuse_length();
            }
            slice[..zeros].fill(0.0);
            *list = slice.as_mut_ptr();
        }
        let mut given = Given::with(&arguments, inputs);
        for call in &direct.calls {
            given.values[Group::Constants as usize] = constants[call.kernel].row(call.row);
            // SAFETY: as in `evaluate`.
            unsafe { self.code.call(call.code, &given, &lists) };
        }
    }

    /// The function in lanes with this name, if there is one.
    pub fn in_lanes(&self, name: &str) -> Option<usize> {
        self.image.in_lanes.iter().position(|lanes| lanes.function.name == name)
    }

    /// Constants of instances in lanes, kernel by kernel; lanes beyond the last one repeat it.
    pub fn constants_in_lanes(&self, instances: &[&[Constants]]) -> Vec<LaneConstants> {
        let lane = |i: usize| instances[i.min(instances.len() - 1)];
        let of = |kernel: usize| LaneConstants {
            all: (0..lane(0)[kernel].all.len())
                .map(|k| Lanes(std::array::from_fn(|i| lane(i)[kernel].all[k])))
                .collect(),
            each: lane(0)[kernel].each,
        };
        (0..self.image.kernels.len()).map(of).collect()
    }

    /// Fills the slices of a function of several instances.
    ///
    /// # Panics
    /// When a list has another length than the model's, or is not aligned.
    pub fn evaluate_in_lanes(
        &self,
        function: usize,
        constants: &[LaneConstants],
        arguments: &LaneArguments,
        slices: &mut [&mut [f64]],
    ) {
        let info = &self.image.description.info;
        let LaneArguments { t, inputs, q, v, a, lambda, tau, factors } = *arguments;
        let given = [t, inputs, q, v, a, lambda, tau];
        let [nq, nv, nc] = [info.coordinates.len(), info.velocities.len(), info.constraints.len()];
        let expected = [1, info.inputs.len(), nq, nv, nv, nc, nv];
        let fit = given.iter().zip(expected).fold(true, |fit, (list, length)| fit & (list.len() == LANES * length));
        assert!(fit, "lists of `{}` have other lengths than the model's", info.name);
        let InLanes { function, at_once } = &self.image.in_lanes[function];
        assert_eq!(slices.len(), function.slices.len(), "the number of results of `{}`", function.name);
        for (slice, &(len, is_zeroed)) in slices.iter_mut().zip(&function.slices) {
            assert!(slice.len() == LANES * len && is_aligned(slice), "a result of `{}`", function.name);
            if is_zeroed {
                slice.fill(0.0);
            }
        }
        assert!(given.into_iter().all(is_aligned), "lists of `{}` are not aligned", info.name);
        let mut own_room = LANE_ROOM.take();
        if own_room.len() < function.room {
            own_room.resize(function.room, Lanes([0.0; LANES]));
        }
        let room = numbers_mut(&mut own_room);
        let mut kept = ROOM.take();
        kept.places.resize(kept.places.len().max(self.most_places), 0);
        let mut given = Given::new(factors);
        given.values = [&[], t, inputs, q, v, a, lambda, tau, &[]].map(<[f64]>::as_ptr);
        for lane in (0..LANES).step_by(*at_once) {
            let mut given = Given { values: given.values.map(|values| values.wrapping_add(lane)), ..given };
            for call in &function.calls {
                let (kernel, constants) = (&self.image.kernels[call.kernel], &constants[call.kernel]);
                let mut lists = [std::ptr::null_mut(); MOST_LISTS];
                let Some(results) = &call.results else {
                    for (list, slice) in lists.iter_mut().zip(&mut *slices) {
                        *list = slice.as_mut_ptr().wrapping_add(lane);
                    }
                    given.values[Group::Constants as usize] =
                        constants.row(kernel.row_of_instance[0]).wrapping_add(lane);
                    // SAFETY: as in `evaluate`: lists have the lengths that the code reads and writes, with a value for each lane; the
                    // code takes as many of them as it computes, and begins at the first one that is left.
                    unsafe { self.code.call(call.code, &given, &lists) };
                    continue;
                };
                for (list, destination) in lists.iter_mut().zip(results) {
                    *list = match destination {
                        Destination::Slice(slice) => slices[*slice].as_mut_ptr(),
                        Destination::Room { start, len, .. } => room[LANES * start..][..LANES * len].as_mut_ptr(),
                    }
                    .wrapping_add(lane);
                }
                for (instance, &row) in kernel.instances.iter().zip(&kernel.row_of_instance) {
                    given.values[Group::Constants as usize] = constants.row(row).wrapping_add(lane);
                    give_places(&mut given, kernel, instance, &mut kept.places);
                    // SAFETY: as above, and as in `evaluate`.
                    unsafe { self.code.call(call.code, &given, &lists) };
                    add_lanes(results, instance, &factors, room, slices, lane..lane + at_once);
                }
            }
        }
        LANE_ROOM.set(own_room);
        ROOM.set(kept);
    }

    /// Fills the slices of a function of the model, with room for results of its calls and for [`Self::most_places`].
    ///
    /// # Panics
    /// When a list has another length than the model's.
    pub fn evaluate<const N: usize>(
        &self,
        function: &ModelFunction,
        constants: &[Constants],
        arguments: &Arguments,
        inputs: &[f64],
        mut slices: [&mut [f64]; N],
        room: &mut [f64],
        places: &mut [u32],
    ) {
        for (slice, (len, is_zeroed)) in slices.iter_mut().zip(&function.slices) {
            assert_eq!(slice.len(), *len, "the length of a result of `{}`", function.name);
            if *is_zeroed {
                slice.fill(0.0);
            }
        }
        let mut given = Given::with(arguments, inputs);
        for call in &function.calls {
            let kernel = &self.image.kernels[call.kernel];
            let constants = &constants[call.kernel];
            let mut lists = [std::ptr::null_mut(); MOST_LISTS];
            let Some(results) = &call.results else {
                for (list, slice) in lists.iter_mut().zip(&mut slices) {
                    *list = slice.as_mut_ptr();
                }
                given.values[Group::Constants as usize] = constants.row(kernel.row_of_instance[0]);
                // SAFETY: as below; lists of results are the slices, of which `Image::new` has checked that they hold all places to
                // which the code adds.
                unsafe { self.code.call(call.code, &given, &lists) };
                continue;
            };
            for (list, destination) in lists.iter_mut().zip(results) {
                *list = match destination {
                    Destination::Slice(slice) => slices[*slice].as_mut_ptr(),
                    Destination::Room { start, len, .. } => room[*start..][..*len].as_mut_ptr(),
                };
            }
            for (instance, &row) in kernel.instances.iter().zip(&kernel.row_of_instance) {
                given.values[Group::Constants as usize] = constants.row(row);
                give_places(&mut given, kernel, instance, places);
                // SAFETY: `Image::new` has checked that what the code reads is given, and at which places; the lists of arguments are
                // as long as the model's, as their owner has checked; the
                // constants of a row are as many as the kernel's, and each list of results has the length of its output.
                unsafe { self.code.call(call.code, &given, &lists) };
                add_results(results, instance, &arguments.factors, room, &mut slices);
            }
        }
    }
}

/// Writes where an instance finds its arguments, and gives that.
#[inline(always)]
fn give_places(given: &mut Given, kernel: &Kernel, instance: Instance, mut free: &mut [u32]) {
    for (places, all) in given.places.iter_mut().zip(&kernel.places) {
        let (list, rest) = std::mem::take(&mut free).split_at_mut(all.each);
        list.iter_mut().zip(all.at(instance)).for_each(|(place, at)| *place = at);
        (*places, free) = (list.as_ptr(), rest);
    }
}

#[cold]
fn refuse_length() -> ! {
    panic!("a result has another length than the model's")
}

impl Direct {
    fn of(function: &ModelFunction, kernels: &[Kernel]) -> Option<Direct> {
        let direct = |call: &Call| match call.results {
            None => {
                Some(DirectCall { code: call.code, kernel: call.kernel, row: kernels[call.kernel].row_of_instance[0] })
            }
            Some(_) => None,
        };
        let calls = function.calls.iter().map(direct).collect::<Option<_>>()?;
        let mut slices = [(0, 0); MOST_LISTS];
        for (slice, &(len, is_zeroed)) in slices.iter_mut().zip(&function.slices) {
            *slice = (len, if is_zeroed { len } else { 0 });
        }
        Some(Direct { slices, calls, reads_inputs: function.reads_inputs })
    }
}

impl Constants {
    #[inline]
    fn row(&self, row: usize) -> *const f64 {
        self.all[row * self.each..].as_ptr()
    }
}

impl LaneConstants {
    fn row(&self, row: usize) -> *const f64 {
        self.all[row * self.each..].as_ptr().cast()
    }
}

/// Adds the results of an instance to the slices, in the order of generated Rust.
fn add_results<const N: usize>(
    results: &[Destination],
    instance: Instance,
    factors: &[f64; FACTORS],
    room: &[f64],
    slices: &mut [&mut [f64]; N],
) {
    for destination in results {
        let Destination::Room { start, len, sums } = destination else { continue };
        let entries = &room[*start..][..*len];
        for Sum { slice, factor, places } in sums {
            let factor = match factor {
                Factor::One => 1.0,
                Factor::MinusOne => -1.0,
                Factor::Argument(index) => factors[*index],
            };
            let slice = &mut *slices[*slice];
            if places.each == 0 {
                slice.iter_mut().zip(entries).for_each(|(value, entry)| *value += factor * entry);
            } else {
                for (place, entry) in places.at(instance).zip(entries) {
                    slice[place as usize] += factor * entry;
                }
            }
        }
    }
}

/// [`add_results`] for some lanes.
fn add_lanes(
    results: &[Destination],
    instance: Instance,
    factors: &[f64; FACTORS],
    room: &[f64],
    slices: &mut [&mut [f64]],
    lanes: std::ops::Range<usize>,
) {
    for destination in results {
        let Destination::Room { start, len, sums } = destination else { continue };
        let entries = room[LANES * start..][..LANES * len].as_chunks::<LANES>().0;
        for Sum { slice, factor, places } in sums {
            let factor = match factor {
                Factor::One => 1.0,
                Factor::MinusOne => -1.0,
                Factor::Argument(index) => factors[*index],
            };
            let slice = slices[*slice].as_chunks_mut::<LANES>().0;
            let add = |value: &mut [f64; LANES], entry: &[f64; LANES]| match lanes.len() {
                LANES => value.iter_mut().zip(entry).for_each(|(value, entry)| *value += factor * entry),
                _ => lanes.clone().for_each(|lane| value[lane] += factor * entry[lane]),
            };
            if places.each == 0 {
                slice.iter_mut().zip(entries).for_each(|(value, entry)| add(value, entry));
            } else {
                let places = places.at(instance);
                places.zip(entries).for_each(|(place, entry)| add(&mut slice[place as usize], entry));
            }
        }
    }
}

impl Given {
    #[inline(always)]
    fn new(factors: [f64; FACTORS]) -> Given {
        Given {
            factors,
            values: [std::ptr::null(); GROUPS],
            places: [std::ptr::null(); GROUPS],
            functions: &raw const FUNCTIONS,
        }
    }

    #[inline(always)]
    fn with(arguments: &Arguments, inputs: &[f64]) -> Given {
        let Arguments { t, q, v, a, lambda, tau, w, factors } = arguments;
        let t = std::slice::from_ref(t);
        let values = [[].as_slice(), t, inputs, q, v, a, lambda, tau, w].map(<[f64]>::as_ptr);
        Given { values, ..Given::new(*factors) }
    }
}

/// All rows of a series, from the outputs of its setup.
fn expanded(series: &[Rows], setup: &Setup, values: &[f64]) -> Vec<Vec<f64>> {
    let output = |index: usize| &values[setup.starts[index]..setup.starts[index + 1]];
    let mut all = Vec::new();
    for rows in series {
        for times in 0..rows.count {
            for (place, first) in rows.first.clone().enumerate() {
                let first = output(first);
                all.push(match rows.step.clone().nth(place) {
                    Some(step) => {
                        // As the runtime advances what generated code repeats.
                        let advanced = |(first, step): (&f64, &f64)| first + times as f64 * step;
                        first.iter().zip(output(step)).map(advanced).collect()
                    }
                    None => first.to_vec(),
                });
            }
        }
    }
    all
}
