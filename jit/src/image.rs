//! A model as data: machine code, where its functions read and write, names. It contains no addresses.

use hamel_compiler::Stages;
use hamel_compiler::derive::{Equations, FunctionRole, Layout, Role};
use hamel_compiler::parallel;
use hamel_compiler::schedule::members::{Members, members};
use hamel_compiler::schedule::methods::{self, Contribution, Factor, Method};
use hamel_compiler::schedule::pattern::{Pattern, Patterns};
use hamel_compiler::schedule::placement::axes;
use hamel_compiler::schedule::requirements::{Requirement, requirements};
use hamel_compiler::schedule::vocabulary::function_name;
use hamel_compiler::schedule::{Argument, Routine, ScheduledFunction, ScheduledOutput, Series};

use serde::{Deserialize, Serialize};

use crate::call::{GROUPS, MOST_LISTS};
use crate::description::Description;
use crate::error::Error;
use crate::translate::{Processor, Source, Store, group, translate};

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
    pub functions: Vec<ModelFunction>,
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
    /// For each instance its row.
    pub row_of_instance: Vec<usize>,
    /// For each group, where each instance finds its values; empty where these are read in order.
    pub places: [Places; GROUPS],
}

/// Lists of equal length, one for each instance.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Places {
    pub all: Vec<u32>,
    pub each: usize,
}

impl Places {
    fn of(rows: Option<&[Vec<usize>]>) -> Places {
        let rows = rows.unwrap_or_default();
        Places {
            all: rows.iter().flatten().map(|&place| place as u32).collect(),
            each: rows.first().map_or(0, Vec::len),
        }
    }
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
    /// Where each list of results goes.
    pub results: Vec<Destination>,
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
    is_placed: [bool; GROUPS],
    stores: Vec<Store>,
    in_lanes: bool,
}

/// Routines that are to be translated; until then, they are known by their number.
#[derive(Default)]
struct Program<'a> {
    pending: Vec<Pending<'a>>,
}

impl<'a> Program<'a> {
    fn setup(&mut self, name: &str, routine: &'a Routine) -> Setup {
        let mut starts = vec![0];
        for &n in &routine.outputs {
            starts.push(starts[starts.len() - 1] + n);
        }
        let store = |(start, &n): (&usize, &usize)| Store { list: 0, places: (*start..start + n).collect() };
        let stores = starts.iter().zip(&routine.outputs).map(store).collect();
        let pending = Pending { name: name.to_owned(), routine, is_placed: [false; GROUPS], stores, in_lanes: false };
        self.pending.push(pending);
        Setup { code: self.pending.len() as u32 - 1, starts }
    }

    /// The machine code, and where each routine begins.
    fn translated(&self, processor: &Processor) -> Result<(Vec<u8>, Vec<u32>), Error> {
        let translated = parallel::map(&self.pending, |pending| {
            let Pending { name, routine, is_placed, .. } = pending;
            let source =
                Source { name, routine, is_placed: *is_placed, stores: &pending.stores, in_lanes: pending.in_lanes };
            translate(&source, processor)
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

/// No instruction needs more.
const ALIGNMENT: usize = 64;

impl Image {
    /// Compiles a model.
    ///
    /// # Errors
    /// What the code generator refuses.
    pub fn new(stages: &Stages, processor: &Processor) -> Result<Image, Error> {
        let (equations, schedule) = (&stages.simplified, &stages.schedule);
        let patterns = Patterns::of(equations, schedule);
        let members = members(equations, schedule, &patterns);
        let mut program = Program::default();
        let mut kernels: Vec<Kernel> = Vec::new();
        let mut codes: Vec<Vec<u32>> = Vec::new();
        for kernel in &members {
            let has_constants = !kernel.scheduled.constants.is_empty();
            let setup = has_constants.then(|| program.setup(&kernel.module, &kernel.scheduled.setup));
            let is_placed = GROUP_TABLES.map(|table| table.is_some_and(|table| kernel.has_table(table)));
            let functions = kernel.scheduled.functions.iter().map(|function| {
                let name = format!("{} of {}", function_name(function.role), kernel.module);
                let stores = function.outputs.iter().enumerate();
                let stores = stores.map(|(list, output)| Store { list, places: stored(output) }).collect();
                program.pending.push(Pending { name, routine: &function.routine, is_placed, stores, in_lanes: true });
                program.pending.len() as u32 - 1
            });
            codes.push(functions.collect());
            kernels.push(Kernel {
                setup,
                rows: rows(kernel.rows),
                row_of_instance: kernel.indices.iter().map(|&i| schedule.row_of_instance[i]).collect(),
                places: GROUP_TABLES.map(|table| Places::of(table.and_then(|table| kernel.table(table)))),
            });
        }
        let sizes = Sizes { equations, patterns: &patterns };
        let mut functions: Vec<ModelFunction> = methods::all()
            .iter()
            .chain(&methods::on_request())
            .map(|method| model_function(method, &members, &codes, &sizes))
            .collect();
        let layout = &equations.layout;
        functions.push(sums(
            "energy",
            FunctionRole::Energy,
            &[Role::KineticEnergy, Role::PotentialEnergy],
            &members,
            &codes,
        ));
        functions.push(sums("power", FunctionRole::Power, &[Role::Power], &members, &codes));
        let is_conservative = !layout.has_unknown_power && functions.last().is_some_and(|power| power.calls.is_empty());

        let mut defaults: Vec<Setup> =
            schedule.defaults.iter().map(|routine| program.setup("a default", routine)).collect();
        let mut setups = [
            ("the parameters of members", &schedule.members),
            ("the reference configuration", &schedule.reference_configuration),
            ("masses and inertias", &schedule.bodies),
            ("laws of contacts", &schedule.contact_laws),
        ]
        .map(|(name, routine)| program.setup(name, routine));

        for method in methods::all().iter().chain(&methods::on_request()) {
            for contribution in method.contributions(&members) {
                check(&kernels, call_of(&members, &codes, contribution).0, contribution.1, &method.given, layout)?;
            }
        }
        for role in [FunctionRole::Energy, FunctionRole::Power] {
            for contribution in methods::contributions(&members, role) {
                check(&kernels, call_of(&members, &codes, contribution).0, contribution.1, &methods::INSTANT, layout)?;
            }
        }
        check_lists(&functions, &codes, &members)?;

        let (code, starts) = program.translated(processor)?;
        let place = |code: &mut u32| *code = starts[*code as usize];
        defaults.iter_mut().chain(&mut setups).for_each(|setup| place(&mut setup.code));
        kernels.iter_mut().filter_map(|kernel| kernel.setup.as_mut()).for_each(|setup| place(&mut setup.code));
        functions.iter_mut().flat_map(|function| &mut function.calls).for_each(|call| place(&mut call.code));
        let [members, reference_configuration, bodies, contact_laws] = setups;
        Ok(Image {
            description: Description::new(stages, &patterns, is_conservative),
            code,
            defaults,
            members,
            kernels,
            reference_configuration,
            reference_coordinates: rows(&schedule.reference_coordinates),
            bodies,
            requirements: requirements(equations),
            n_bodies: equations.bodies.len(),
            contact_laws,
            law_of_contact: schedule.law_of_contact.clone(),
            functions,
        })
    }
}

/// For each group the table that says where an instance finds its values.
const GROUP_TABLES: [Option<&str>; GROUPS] =
    [None, Some("inputs"), Some("q"), Some("v"), Some("v"), Some("lambda"), Some("v")];

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

/// The code of a function, by its place in `codes`.
fn call_of<'m, 'a>(members: &'m [Members<'a>], codes: &[Vec<u32>], contribution: Contribution<'m, 'a>) -> (usize, u32) {
    let (kernel, function) = contribution;
    let index = members.iter().position(|known| std::ptr::eq(known, kernel)).unwrap_or_default();
    let functions = &kernel.scheduled.functions;
    let place = functions.iter().position(|known| std::ptr::eq(known, function)).unwrap_or_default();
    (index, codes[index][place])
}

fn reads_inputs(function: &ScheduledFunction) -> bool {
    function.routine.arguments().iter().any(|argument| matches!(argument, Argument::Input(_)))
}

fn model_function(method: &Method, members: &[Members], codes: &[Vec<u32>], sizes: &Sizes) -> ModelFunction {
    let contributions = method.contributions(members);
    let names = method.slices();
    let slice_of = |name: &str| names.iter().position(|known| *known == name).unwrap_or_default();
    let slices = names.iter().map(|name| {
        let target = method.targets.iter().find(|target| target.slice == *name);
        let len = target.map_or(0, |target| sizes.slice(method, target));
        (len, method.is_zeroed(name, &contributions))
    });
    let mut room = 0;
    let calls = contributions.iter().map(|&contribution| {
        let (kernel, code) = call_of(members, codes, contribution);
        let mut start = 0;
        let results = contribution.1.outputs.iter().map(|output| {
            // Code writes nothing there, so that there is nothing to add: the room may hold what another function left.
            if output.entries.is_empty() {
                return Destination::Room { start, len: 0, sums: Vec::new() };
            }
            let targets = || method.targets.iter().filter(|target| target.role == output.role);
            let is_direct = |target: &&methods::Target| method.direct(target, &contributions).is_some();
            if let Some(target) = targets().find(is_direct) {
                return Destination::Slice(slice_of(target.slice));
            }
            let sums = targets().map(|target| Sum {
                slice: slice_of(target.slice),
                factor: target.factor,
                places: Places::of(contribution.0.table(&target.table)),
            });
            let len = list_len(output);
            let destination = Destination::Room { start, len, sums: sums.collect() };
            start += len;
            destination
        });
        let results = results.collect();
        room = room.max(start);
        Call { kernel, code, results }
    });
    let calls = calls.collect();
    let reads_inputs = contributions.iter().any(|(_, function)| reads_inputs(function));
    ModelFunction { name: method.name.to_owned(), slices: slices.collect(), calls, reads_inputs, room }
}

/// A function whose results are sums, one slice of one value for each of these roles.
fn sums(name: &str, function: FunctionRole, roles: &[Role], members: &[Members], codes: &[Vec<u32>]) -> ModelFunction {
    let contributions = methods::contributions(members, function);
    let calls = contributions.iter().map(|&contribution| {
        let (kernel, code) = call_of(members, codes, contribution);
        let results = contribution.1.outputs.iter().enumerate().map(|(start, output)| {
            let slice = roles.iter().position(|role| *role == output.role).unwrap_or_default();
            let sum = Sum { slice, factor: Factor::One, places: Places::default() };
            Destination::Room { start, len: output.entries.len(), sums: vec![sum] }
        });
        Call { kernel, code, results: results.collect() }
    });
    ModelFunction {
        name: name.to_owned(),
        slices: vec![(1, true); roles.len()],
        calls: calls.collect(),
        reads_inputs: contributions.iter().any(|(_, function)| reads_inputs(function)),
        room: contributions.iter().map(|(_, function)| function.outputs.len()).max().unwrap_or(0),
    }
}

/// Refuses a function that reads what it is not given, or at places outside of what it is given.
fn check(
    kernels: &[Kernel],
    kernel: usize,
    function: &ScheduledFunction,
    given: &[methods::Given],
    layout: &Layout,
) -> Result<(), Error> {
    use methods::Given;
    let is_given = |one: Given| given.contains(&one) || given.contains(&Given::State);
    let kernel = &kernels[kernel];
    for argument in function.routine.arguments() {
        let (is_given, len) = match argument {
            Argument::Parameter(_) => (false, 0),
            Argument::Constant(_) => (true, kernel.setup.as_ref().map_or(0, Setup::len)),
            // The model evaluates its inputs itself.
            Argument::Time | Argument::Input(_) => (is_given(Given::Time), layout.inputs.len()),
            Argument::Position(_) => (is_given(Given::Positions), layout.coordinates.len()),
            Argument::Velocity(_) => (is_given(Given::Velocities), layout.velocities.len()),
            Argument::Acceleration(_) => (is_given(Given::Accelerations), layout.velocities.len()),
            Argument::Multiplier(_) => (given.contains(&Given::State), layout.constraints.len()),
            Argument::Force(_) => (given.contains(&Given::Forces), layout.velocities.len()),
        };
        let is_inside = group(argument).is_none_or(|(group, index)| {
            let places = &kernel.places[group];
            match places.each {
                0 => index < len,
                each => index < each && places.all.iter().all(|&place| (place as usize) < len),
            }
        });
        if !is_given || !is_inside {
            let reason = format!("it reads {argument:?}, which it is not given");
            return Err(Error::Function { function: function_name(function.role).to_owned(), reason });
        }
    }
    Ok(())
}

/// Refuses functions that fill more lists than there is room for, or more than the length of one.
fn check_lists(functions: &[ModelFunction], codes: &[Vec<u32>], members: &[Members]) -> Result<(), Error> {
    for function in functions {
        for call in &function.calls {
            let place = codes[call.kernel].iter().position(|&code| code == call.code).unwrap_or_default();
            let outputs = &members[call.kernel].scheduled.functions[place].outputs;
            let len = |destination: &Destination| match destination {
                Destination::Slice(slice) => function.slices[*slice].0,
                Destination::Room { len, .. } => *len,
            };
            let fits = |(output, destination): (&ScheduledOutput, &Destination)| {
                stored(output).iter().all(|&place| place < len(destination))
            };
            if outputs.len() > MOST_LISTS || !outputs.iter().zip(&call.results).all(fits) {
                let reason = "its results have no room".to_owned();
                return Err(Error::Function { function: function.name.to_owned(), reason });
            }
        }
    }
    Ok(())
}

/// Lengths of what functions fill.
struct Sizes<'a> {
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
            (FunctionRole::MassMatrix, Role::MassMatrix) => entries(mass_matrix),
            (_, Role::ConstraintJacobian) => entries(constraint_jacobian),
            (_, Role::ContactJacobian) => entries(contact_jacobian),
            (function, role) => {
                let (rows, columns) = axes(function, role);
                let layout = &self.equations.layout;
                rows.size(layout) * columns.size(layout)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_belong_to_the_groups_of_the_translation() {
        let of = |argument| GROUP_TABLES[group(argument).expect("it has a group").0];
        assert_eq!(of(Argument::Constant(0)), None);
        assert_eq!(of(Argument::Input(0)), Some("inputs"));
        assert_eq!(of(Argument::Position(0)), Some("q"));
        assert_eq!(of(Argument::Velocity(0)), Some("v"));
        assert_eq!(of(Argument::Acceleration(0)), Some("v"));
        assert_eq!(of(Argument::Multiplier(0)), Some("lambda"));
        assert_eq!(of(Argument::Force(0)), Some("v"));
    }
}
