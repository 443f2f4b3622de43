//! A model as data: machine code, where its functions read and write, names. It contains no addresses.

use hamel_compiler::Stages;
use hamel_compiler::derive::{Block, Equations, FunctionRole, Layout, Role};
use hamel_compiler::parallel;
use hamel_compiler::schedule::groups::Group;
use hamel_compiler::schedule::members::{Members, members};
use hamel_compiler::schedule::methods::{self, Contribution, Factor, Method};
use hamel_compiler::schedule::pattern::{Pattern, Patterns};
use hamel_compiler::schedule::placement::axes;
use hamel_compiler::schedule::requirements::{Requirement, requirements};
use hamel_compiler::schedule::{Argument, Routine, ScheduledFunction, ScheduledOutput, Series};

use serde::{Deserialize, Serialize};

use crate::call::{GROUPS, LANES, MOST_LISTS};
use crate::description::Description;
use crate::error::Error;
use crate::places::{Instances, Places};
use crate::translate::{LARGE, Processor, Read, Source, Store, Width, group, translate};
use hamel::together::NotInLanes;

/// Statements of a function below which it is translated for each place where the only member of its kind calls it, with
/// the places of what it reads and adds. Larger ones are translated once, and their results added by the caller.
const SMALL: usize = 400;
/// Statements of a function up to which all lanes are computed by one call of its code, which is longer in proportion;
/// beyond, by a call for each pair.
const FEW: usize = 1000;
/// Statements of a function beyond which it is not translated for lanes: its arithmetic gains half at most, and its code
/// takes as long to compile as that for one instance.
const MOST_IN_LANES: usize = LARGE;

/// A model without values of its parameters.
#[derive(Serialize, Deserialize)]
pub(crate) struct Image {
    pub description: Description,
    /// Machine code of all functions; kept beside the rest.
    #[serde(skip)]
    pub code: Vec<u8>,
    /// For each parameter its default.
    pub defaults: Vec<Setup>,
    /// Parameters of the instances of all kernels.
    pub members: Setup,
    pub kernels: Vec<Kernel>,
    pub reference_configuration: Setup,
    pub reference_coordinates: Vec<Rows>,
    /// What requirements are about, and the place of the first one that is not about a body.
    pub bodies: Setup,
    #[serde(with = "crate::cache::requirements")]
    pub requirements: Vec<Requirement>,
    pub n_bodies: usize,
    pub contact_laws: Setup,
    pub law_of_contact: Vec<usize>,
    pub switches: Setup,
    pub moved_by: Vec<Vec<usize>>,
    pub functions: Vec<ModelFunction>,
    /// Those that are computed for several instances at once, and why instances have no closed form of their accelerations
    /// among these.
    pub in_lanes: Vec<InLanes>,
    pub accelerates: Result<(), NotInLanes>,
}

/// Methods that steps and those who watch them ask for, beside energy and power.
const IN_LANES: [&str; 9] = [
    "forward_dynamics",
    "outputs",
    "residual",
    "iteration_matrix",
    "damping",
    "stiffness",
    "constraint",
    "constraint_jacobian",
    "constraint_bias",
];

/// Whether functions are translated for several instances too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneCode {
    None,
    Made,
}

/// A function of several instances.
#[derive(Serialize, Deserialize)]
pub(crate) struct InLanes {
    pub function: ModelFunction,
    /// Instances that one call of its code computes.
    pub at_once: usize,
}

/// A function of parameters, whose outputs follow each other in one list.
#[derive(Serialize, Deserialize)]
pub(crate) struct Setup {
    /// Where its code begins.
    pub code: u32,
    /// Where each output begins, and the end of the last one.
    pub starts: Vec<usize>,
}

impl Setup {
    /// Number of values that it computes.
    pub fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }
}

/// Rows of values, some of which advance by equal steps; see [`Series`].
#[derive(Serialize, Deserialize)]
pub(crate) struct Rows {
    pub count: usize,
    pub first: std::ops::Range<usize>,
    pub step: std::ops::Range<usize>,
}

/// A kernel with its instances.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kernel {
    /// Constants of one row of parameters; nothing if it has none.
    pub setup: Option<Setup>,
    pub rows: Vec<Rows>,
    pub instances: Instances,
    /// For each instance its row.
    pub row_of_instance: Vec<usize>,
    /// For each group, where each instance finds its values; empty where these are read in order.
    pub places: [Places; GROUPS],
}

/// A function of the model.
#[derive(Serialize, Deserialize)]
pub(crate) struct ModelFunction {
    pub name: String,
    /// Its slices: how long they are, and whether they are filled with zeros first.
    pub slices: Vec<(usize, bool)>,
    pub calls: Vec<Call>,
    pub reads_inputs: bool,
    /// Room for the results of one call.
    pub room: usize,
}

/// A function of a kernel, called for each instance.
#[derive(Serialize, Deserialize)]
pub(crate) struct Call {
    pub kernel: usize,
    /// Where its code begins.
    pub code: u32,
    /// Where each list of results goes; `None` if the code adds them to the slices.
    pub results: Option<Vec<Destination>>,
}

#[derive(Serialize, Deserialize)]
pub(crate) enum Destination {
    /// To the beginning of a slice.
    Slice(usize),
    /// To the room for results; from there it is added.
    Room { start: usize, len: usize, sums: Vec<Sum> },
}

/// Adds results to a slice.
#[derive(Serialize, Deserialize)]
pub(crate) struct Sum {
    pub slice: usize,
    #[serde(with = "crate::cache::FactorAsKept")]
    pub factor: Factor,
    /// Where, for each instance; in order where this is empty.
    pub places: Places,
}

/// A routine that is not translated yet.
struct Pending<'a> {
    name: String,
    routine: &'a Routine,
    reads: [Read<'a>; GROUPS],
    stores: Vec<Vec<Store>>,
    angles_together: bool,
    width: Width,
}

/// Routines that are to be translated; until then, they are known by their number.
#[derive(Default)]
struct Program<'a> {
    pending: Vec<Pending<'a>>,
}

impl<'a> Program<'a> {
    fn add(&mut self, pending: Pending<'a>) -> u32 {
        self.pending.push(pending);
        self.pending.len() as u32 - 1
    }

    fn setup(&mut self, name: &str, routine: &'a Routine) -> Setup {
        let mut starts = vec![0];
        for &n in &routine.outputs {
            starts.push(starts[starts.len() - 1] + n);
        }
        let store =
            |(start, &n): (&usize, &usize)| vec![Store { list: 0, places: (*start..start + n).collect(), added: None }];
        let stores = starts.iter().zip(&routine.outputs).map(store).collect();
        let reads = [Read::InOrder; GROUPS];
        let code = self.add(Pending {
            name: name.to_owned(),
            routine,
            reads,
            stores,
            angles_together: false,
            width: Width::One,
        });
        Setup { code, starts }
    }

    /// The machine code, and where each routine begins.
    fn translated(&self, processor: &Processor) -> Result<(Vec<u8>, Vec<u32>), Error> {
        let translated = parallel::map(&self.pending, |pending| {
            let Pending { name, routine, reads, stores, angles_together, width } = pending;
            let (angles_together, width) = (*angles_together, *width);
            translate(&Source { name, routine, reads: *reads, stores, angles_together, width }, processor)
        });
        let (mut code, mut starts) = (Vec::new(), Vec::new());
        for bytes in translated {
            // Constants of a function are aligned with its beginning.
            code.resize(code.len().next_multiple_of(ALIGNMENT), 0);
            starts.push(code.len() as u32);
            code.extend(bytes?);
        }
        Ok((code, starts))
    }
}

/// Sums of a function, in the order of its slices.
const ENERGIES: [Role; 2] = [Role::KineticEnergy, Role::PotentialEnergy];

/// No instruction needs more.
const ALIGNMENT: usize = 64;

impl Image {
    /// Compiles a model.
    ///
    /// # Errors
    /// What the code generator refuses.
    pub fn new(stages: &Stages, processor: &Processor, lanes: LaneCode) -> Result<Image, Error> {
        let (equations, schedule) = (&stages.simplified, &stages.schedule);
        let patterns = Patterns::of(equations, schedule);
        let members = members(equations, schedule, &patterns);
        let mut program = Program::default();
        let kernels = members.iter().map(|kernel| {
            let has_constants = !kernel.scheduled.constants.is_empty();
            let instances = Instances::of(kernel.indices.len(), &kernel.runs);
            Kernel {
                setup: has_constants.then(|| program.setup(&kernel.module, &kernel.scheduled.setup)),
                rows: rows(kernel.rows),
                row_of_instance: kernel.indices.iter().map(|&i| schedule.row_of_instance[i]).collect(),
                places: Group::ALL.map(|group| Places::of(&instances, table(kernel, group))),
                instances,
            }
        });
        let mut kernels: Vec<Kernel> = kernels.collect();
        let layout = &equations.layout;
        let sizes = Sizes { members: &members, equations, patterns: &patterns };
        let shared = || members.iter().map(|kernel| vec![None; kernel.scheduled.functions.len()]).collect();
        let mut calls =
            Calls { members: &members, kernels: &kernels, layout, program: &mut program, shared: [shared(), shared()] };
        let of_model = || methods::of_model(layout, &members).into_iter();
        let all = || of_model().chain(methods::on_request(&members));
        let functions: Result<Vec<ModelFunction>, Error> =
            all().map(|method| calls.function(Outline::of_method(&method, &members, &sizes))).collect();
        let mut functions = functions?;
        functions.push(calls.function(Outline::of_sums("energy", FunctionRole::Energy, &ENERGIES, &members))?);
        functions.push(calls.function(Outline::of_sums("power", FunctionRole::Power, &[Role::Power], &members))?);
        let (mut in_lanes, accelerates) = match lanes {
            LaneCode::Made => calls.in_lanes(&members, &sizes)?,
            LaneCode::None => (Vec::new(), Err(NotInLanes::NotCompiled)),
        };
        let is_conservative = !layout.has_unknown_power && functions.last().is_some_and(|power| power.calls.is_empty());

        let mut defaults: Vec<Setup> =
            schedule.defaults.iter().map(|routine| program.setup("a default", routine)).collect();
        let mut setups = [
            ("the parameters of members", &schedule.members),
            ("the reference configuration", &schedule.reference_configuration),
            ("masses and inertias", &schedule.bodies),
            ("laws of contacts", &schedule.contact_laws),
            ("times of switches", &schedule.switches),
        ]
        .map(|(name, routine)| program.setup(name, routine));

        let (code, starts) = program.translated(processor)?;
        let place = |code: &mut u32| *code = starts[*code as usize];
        defaults.iter_mut().chain(&mut setups).for_each(|setup| place(&mut setup.code));
        kernels.iter_mut().filter_map(|kernel| kernel.setup.as_mut()).for_each(|setup| place(&mut setup.code));
        let of_lanes = in_lanes.iter_mut().map(|lanes| &mut lanes.function);
        let all = functions.iter_mut().chain(of_lanes);
        all.flat_map(|function| &mut function.calls).for_each(|call| place(&mut call.code));
        let [rows_of_members, reference_configuration, bodies, contact_laws, switches] = setups;
        Ok(Image {
            description: Description::new(stages, &members, &patterns, is_conservative),
            code,
            defaults,
            members: rows_of_members,
            kernels,
            reference_configuration,
            reference_coordinates: rows(&schedule.reference_coordinates),
            bodies,
            requirements: requirements(equations),
            n_bodies: equations.bodies.len(),
            contact_laws,
            law_of_contact: schedule.law_of_contact.clone(),
            switches,
            moved_by: schedule.moved_by.clone(),
            functions,
            in_lanes,
            accelerates,
        })
    }
}

/// Where each instance finds the values of a group; `None` where these are read in order.
fn table<'m>(members: &'m Members, group: Group) -> Option<&'m [Vec<usize>]> {
    members.table(group.table()?)
}

/// Where the entries of an output are stored in its list, as in generated Rust.
fn stored(output: &ScheduledOutput) -> Vec<usize> {
    let columns = output.shape.1;
    match output.is_indexed() {
        true => output.entries.iter().map(|&(row, column)| row * columns + column).collect(),
        false => (0..output.entries.len()).collect(),
    }
}

/// Length of the list of an output.
fn list_len(output: &ScheduledOutput) -> usize {
    if output.is_dense { output.shape.0 * output.shape.1 } else { output.entries.len() }
}

fn rows(series: &Series) -> Vec<Rows> {
    let rows = series.0.iter();
    rows.map(|rows| Rows { count: rows.count, first: rows.first.clone(), step: rows.step.clone() }).collect()
}

/// A function of the model before its code is chosen.
struct Outline<'m, 'a> {
    name: String,
    given: Vec<methods::Given>,
    slices: Vec<(usize, bool)>,
    contributions: Vec<Contribution<'m, 'a>>,
    /// For each contribution where its outputs go.
    targets: Vec<Vec<Targets>>,
}

/// Where an output goes.
enum Targets {
    Slice(usize),
    Sums(Vec<Target>),
}

/// A slice to which an output is added, where it is added with which factor.
struct Target {
    slice: usize,
    factor: Factor,
    places: Option<Vec<Vec<usize>>>,
}

impl<'m, 'a> Outline<'m, 'a> {
    fn of_method(method: &Method, members: &'m [Members<'a>], sizes: &Sizes) -> Outline<'m, 'a> {
        let contributions = method.contributions(members);
        let names = method.slices();
        let slice_of = |name: &str| names.iter().position(|known| *known == name).unwrap_or_default();
        let slices = names.iter().map(|name| {
            let target = method.targets.iter().find(|target| target.slice == *name);
            let len = target.map_or(0, |target| sizes.slice(method, target));
            (len, method.is_zeroed(name, &contributions))
        });
        let targets = |&(members, function): &Contribution| {
            let of_output = |output: &ScheduledOutput| {
                let targets = || method.targets.iter().filter(|target| target.role == output.role);
                let is_direct = |target: &&methods::Target| method.direct(target, &contributions).is_some();
                if let Some(target) = targets().find(is_direct) {
                    return Targets::Slice(slice_of(target.slice));
                }
                let sums = targets().map(|target| Target {
                    slice: slice_of(target.slice),
                    factor: target.factor,
                    places: members.table(&target.table).map(<[_]>::to_vec),
                });
                Targets::Sums(sums.collect())
            };
            function.outputs.iter().map(of_output).collect()
        };
        Outline {
            name: method.name.clone(),
            given: method.given.clone(),
            slices: slices.collect(),
            targets: contributions.iter().map(targets).collect(),
            contributions,
        }
    }

    /// A function whose results are sums, one slice of one value for each of these roles.
    fn of_sums(name: &str, function: FunctionRole, roles: &[Role], members: &'m [Members<'a>]) -> Outline<'m, 'a> {
        let contributions = methods::contributions(members, function);
        let of_output = |output: &ScheduledOutput| {
            let slice = roles.iter().position(|role| *role == output.role).unwrap_or_default();
            Targets::Sums(vec![Target { slice, factor: Factor::One, places: None }])
        };
        Outline {
            name: name.to_owned(),
            given: methods::INSTANT.to_vec(),
            slices: vec![(1, true); roles.len()],
            targets: contributions
                .iter()
                .map(|(_, function)| function.outputs.iter().map(of_output).collect())
                .collect(),
            contributions,
        }
    }
}

/// The calls of functions of kernels, and the code that they need.
struct Calls<'c, 'm, 'a> {
    members: &'m [Members<'a>],
    kernels: &'c [Kernel],
    layout: &'m Layout,
    program: &'c mut Program<'m>,
    /// For each function of each kernel its code, where several calls share it: for one instance, and for several.
    shared: [Vec<Vec<Option<u32>>>; 2],
}

impl<'m, 'a> Calls<'_, 'm, 'a> {
    /// # Errors
    /// A function that reads what it is not given, or whose results have no room.
    fn function(&mut self, outline: Outline<'m, 'a>) -> Result<ModelFunction, Error> {
        self.function_of(outline, Width::One)
    }

    fn function_of(&mut self, outline: Outline<'m, 'a>, width: Width) -> Result<ModelFunction, Error> {
        let Outline { name, given, slices, contributions, targets } = outline;
        let mut calls = Vec::new();
        for (&(members, function), targets) in contributions.iter().zip(&targets) {
            let kernel = self.members.iter().position(|known| std::ptr::eq(known, members)).unwrap_or_default();
            check(&self.kernels[kernel], function, &given, self.layout)?;
            let is_small = function.routine.statements.len() < SMALL || width != Width::One;
            let call = match members.is_single() && is_small {
                true => self.adding(kernel, (members, function), targets, width),
                false => self.listing(kernel, (members, function), targets, width),
            };
            check_results(function, &call, &slices, targets)?;
            calls.push(call);
        }
        let rooms =
            calls.iter().flat_map(|call| &call.results).map(|results| results.iter().map(Destination::len).sum());
        let room = rooms.max().unwrap_or(0);
        let reads_inputs = contributions.iter().any(|(_, function)| reads_inputs(function));
        Ok(ModelFunction { name, slices, calls, reads_inputs, room })
    }

    /// What runs in lanes ask for, where the code of it is not too long.
    ///
    /// # Errors
    /// As [`Calls::function`].
    fn in_lanes(
        &mut self,
        all: &'m [Members<'a>],
        sizes: &Sizes,
    ) -> Result<(Vec<InLanes>, Result<(), NotInLanes>), Error> {
        if let Some(reason) = not_in_lanes(self.layout) {
            return Ok((Vec::new(), Err(reason)));
        }
        let methods = methods::all().into_iter().chain(methods::on_request(all));
        let outlines = methods
            .filter(|method| IN_LANES.contains(&method.name.as_str()))
            .map(|method| Outline::of_method(&method, all, sizes))
            .chain([
                Outline::of_sums("energy", FunctionRole::Energy, &ENERGIES, all),
                Outline::of_sums("power", FunctionRole::Power, &[Role::Power], all),
            ]);
        let mut found = Vec::new();
        let mut accelerates = Err(NotInLanes::NoClosedForm);
        for outline in outlines {
            let statements = |(_, function): &Contribution| function.routine.statements.len();
            let longest = outline.contributions.iter().map(statements).max().unwrap_or(0);
            let is_single = outline.contributions.iter().all(|(members, _)| members.is_single());
            let is_acceleration = outline.name == "forward_dynamics";
            let most = if outline.name == "iteration_matrix" { FEW } else { MOST_IN_LANES };
            if longest >= most || is_acceleration && !(is_single && outline.contributions.len() == 1) {
                accelerates = if is_acceleration && is_single { Err(NotInLanes::Long) } else { accelerates };
                continue;
            }
            let width = Width::Pairs(if longest < FEW { LANES / 2 } else { 1 });
            found.push(InLanes { function: self.function_of(outline, width)?, at_once: width.lanes() });
            accelerates = if is_acceleration { Ok(()) } else { accelerates };
        }
        if !self.layout.constraints.is_empty() {
            accelerates = Err(NotInLanes::Constraints);
        }
        Ok((found, accelerates))
    }

    /// Code of its own, which adds its results to the slices.
    fn adding(
        &mut self,
        kernel: usize,
        (members, function): Contribution<'m, 'a>,
        targets: &[Targets],
        width: Width,
    ) -> Call {
        let reads = Group::ALL.map(|group| match table(members, group) {
            Some(places) => Read::At(&places[0]),
            None => Read::InOrder,
        });
        let stores = function.outputs.iter().zip(targets).map(|(output, targets)| {
            let places = stored(output);
            match targets {
                Targets::Slice(slice) => vec![Store { list: *slice, places, added: None }],
                Targets::Sums(sums) => {
                    let store = |sum: &Target| Store {
                        list: sum.slice,
                        places: places.iter().map(|&place| sum.place(0, place)).collect(),
                        added: Some(sum.factor),
                    };
                    sums.iter().map(store).collect()
                }
            }
        });
        let stores = stores.collect();
        let name = name(members, function);
        let code =
            self.program.add(Pending { name, routine: &function.routine, reads, stores, angles_together: true, width });
        Call { kernel, code, results: None }
    }

    /// Code that is shared with other calls, and fills a list for each output.
    fn listing(
        &mut self,
        kernel: usize,
        (members, function): Contribution<'m, 'a>,
        targets: &[Targets],
        width: Width,
    ) -> Call {
        let place = members.scheduled.functions.iter().position(|known| std::ptr::eq(known, function));
        let program = &mut *self.program;
        let shared = &mut self.shared[usize::from(width != Width::One)];
        let code = *shared[kernel][place.unwrap_or_default()].get_or_insert_with(|| {
            let reads = Group::ALL.map(|group| match table(members, group) {
                Some(_) => Read::Given,
                None => Read::InOrder,
            });
            let stores = function.outputs.iter().enumerate();
            let stores =
                stores.map(|(list, output)| vec![Store { list, places: stored(output), added: None }]).collect();
            let name = name(members, function);
            program.add(Pending { name, routine: &function.routine, reads, stores, angles_together: true, width })
        });
        let mut start = 0;
        let results = function.outputs.iter().zip(targets).map(|(output, targets)| {
            // Code writes nothing there, so that there is nothing to add: the room may hold what another function left.
            if output.entries.is_empty() {
                return Destination::Room { start, len: 0, sums: Vec::new() };
            }
            let sums = match targets {
                Targets::Slice(slice) => return Destination::Slice(*slice),
                Targets::Sums(sums) => sums,
            };
            let sum = |Target { slice, factor, places }: &Target| Sum {
                slice: *slice,
                factor: *factor,
                places: Places::of(&self.kernels[kernel].instances, places.as_deref()),
            };
            let len = list_len(output);
            let destination = Destination::Room { start, len, sums: sums.iter().map(sum).collect() };
            start += len;
            destination
        });
        Call { kernel, code, results: Some(results.collect()) }
    }
}

impl Target {
    /// The place in the slice of an entry of an instance.
    fn place(&self, instance: usize, entry: usize) -> usize {
        self.places.as_ref().map_or(entry, |places| places[instance][entry])
    }
}

impl Destination {
    /// Room that it needs.
    fn len(&self) -> usize {
        match self {
            Destination::Slice(_) => 0,
            Destination::Room { len, .. } => *len,
        }
    }
}

/// Why instances of a model with this layout do not advance in lanes, if that says it.
fn not_in_lanes(layout: &Layout) -> Option<NotInLanes> {
    let is_plain = |block: &Block| matches!(block, Block::Vector(_) | Block::EulerParameters);
    match () {
        () if !layout.contacts.is_empty() => Some(NotInLanes::Contacts),
        () if !layout.blocks.iter().all(is_plain) => Some(NotInLanes::Rotations),
        () => None,
    }
}

fn name(members: &Members, function: &ScheduledFunction) -> String {
    format!("{} of {}", function.name, members.module)
}

fn reads_inputs(function: &ScheduledFunction) -> bool {
    function.routine.arguments().iter().any(|argument| matches!(argument, Argument::Input(_)))
}

/// Refuses a function that reads what it is not given, or at places outside of what it is given.
fn check(
    kernel: &Kernel,
    function: &ScheduledFunction,
    given: &[methods::Given],
    layout: &Layout,
) -> Result<(), Error> {
    use methods::Given;
    let is_given = |one: Given| given.contains(&one) || given.contains(&Given::State);
    for argument in function.routine.arguments() {
        let (is_given, len) = match argument {
            Argument::Parameter(_) => (false, 0),
            Argument::Constant(_) => (true, kernel.setup.as_ref().map_or(0, Setup::len)),
            Argument::Time => (is_given(Given::Time), 1),
            // The model evaluates its inputs itself.
            Argument::Input(_) => (is_given(Given::Time), layout.inputs.len()),
            Argument::Position(_) => (is_given(Given::Positions), layout.coordinates.len()),
            Argument::Velocity(_) => (is_given(Given::Velocities), layout.velocities.len()),
            Argument::Acceleration(_) => (is_given(Given::Accelerations), layout.velocities.len()),
            Argument::Multiplier(_) => (given.contains(&Given::State), layout.constraints.len()),
            Argument::Force(_) => (given.contains(&Given::Forces), layout.velocities.len()),
            Argument::Weight(_) => (given.contains(&Given::Weights), layout.velocities.len()),
        };
        let (group, index) = group(argument);
        let places = &kernel.places[group];
        let is_inside = match places.each {
            0 => index < len,
            each => {
                let mut all = kernel.instances.ends().flatten().flat_map(|instance| places.at(instance));
                index < each && all.all(|place| (place as usize) < len)
            }
        };
        if !is_given || !is_inside {
            let reason = format!("it reads {argument:?}, which it is not given");
            return Err(Error::Function { function: function.name.clone(), reason });
        }
    }
    Ok(())
}

/// Refuses a function that fills more lists than there is room for, or more than the length of one.
fn check_results(
    function: &ScheduledFunction,
    call: &Call,
    slices: &[(usize, bool)],
    targets: &[Targets],
) -> Result<(), Error> {
    let fits = |(place, (output, targets)): (usize, (&ScheduledOutput, &Targets))| {
        let len = match (&call.results, targets) {
            (Some(results), Targets::Sums(_)) => results[place].len(),
            (None, Targets::Sums(sums)) => {
                return sums.iter().all(|sum| stored(output).iter().all(|&at| sum.place(0, at) < slices[sum.slice].0));
            }
            (_, Targets::Slice(slice)) => slices[*slice].0,
        };
        stored(output).iter().all(|&place| place < len)
    };
    let n_lists = if call.results.is_some() { function.outputs.len() } else { slices.len() };
    match n_lists <= MOST_LISTS && function.outputs.iter().zip(targets).enumerate().all(fits) {
        true => Ok(()),
        false => {
            let reason = "its results have no room".to_owned();
            Err(Error::Function { function: function.name.clone(), reason })
        }
    }
}

/// Lengths of what functions fill.
struct Sizes<'a> {
    members: &'a [Members<'a>],
    equations: &'a Equations,
    patterns: &'a Patterns,
}

impl Sizes<'_> {
    fn slice(&self, method: &Method, target: &methods::Target) -> usize {
        let Patterns { mass_matrix, damping, stiffness, constraint_jacobian, contact_jacobian, iteration_matrix } =
            self.patterns;
        let entries = Pattern::nnz;
        match (method.function, target.role) {
            (FunctionRole::Linearization, _) if target.slice == "values" => entries(iteration_matrix),
            (FunctionRole::Linearization, Role::Damping) => entries(damping),
            (FunctionRole::Linearization, Role::Stiffness) => entries(stiffness),
            (FunctionRole::Linearization, Role::MassMatrix) => entries(mass_matrix),
            (FunctionRole::MassMatrix, Role::MassMatrix) => entries(mass_matrix),
            (_, Role::ConstraintJacobian) => entries(constraint_jacobian),
            (_, Role::ContactJacobian) => entries(contact_jacobian),
            (function, role) => {
                let functions = self.members.iter().flat_map(|members| &members.scheduled.functions);
                let outputs = functions.filter(|known| known.role == function).flat_map(|known| &known.outputs);
                let shape = outputs.filter(|output| output.role == role).map(|output| output.shape).next();
                let (rows, columns) = axes(function, role, shape.unwrap_or_default());
                let layout = &self.equations.layout;
                rows.size(layout) * columns.size(layout)
            }
        }
    }
}
