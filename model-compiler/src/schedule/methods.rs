//! Functions of the model, each of which calls one function of all kernels and adds up what these give.

use super::members::{Members, own_name, scatter_name};
use super::vocabulary::{function_name, role_name};
use super::{ScheduledFunction, ScheduledOutput};
use crate::derive::{FunctionRole, Layout, OfFrame, Role};
use crate::resolve::FrameFunction;

/// What a function of the model is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// Time.
    Time,
    /// Coordinates.
    Positions,
    /// Velocities.
    Velocities,
    /// Accelerations.
    Accelerations,
    /// Forces on the directions of the velocities.
    Forces,
    /// Weights of the forces on the directions of the velocities.
    Weights,
    /// Time, coordinates, velocities, accelerations and multipliers.
    State,
}

/// Where a result of a kernel goes.
#[derive(Clone, Debug)]
pub struct Target {
    /// What it is.
    pub role: Role,
    /// Name of the slice.
    pub slice: &'static str,
    /// Name of the table of places in the slice, see [`Members::table`].
    pub table: String,
    /// Factor before it is added.
    pub factor: Factor,
}

/// A factor of what a kernel gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Factor {
    /// 1.
    One,
    /// −1.
    MinusOne,
    /// An argument of the function, see [`Method::factors`].
    Argument(usize),
}

/// A function of the model that overwrites slices.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// The function of the kernels.
    pub function: FunctionRole,
    /// What it is given.
    pub given: Vec<Given>,
    /// Scalars after what is given.
    pub factors: &'static [&'static str],
    /// Where results go. Those of one kernel are added in this order.
    pub targets: Vec<Target>,
    /// Not every model has it, and it tells so.
    pub is_optional: bool,
}

/// A kernel and the function of it that a method calls.
pub type Contribution<'m, 'a> = (&'m Members<'a>, &'m ScheduledFunction);

/// What functions of one instant are given.
pub const INSTANT: [Given; 3] = [Given::Time, Given::Positions, Given::Velocities];

/// The functions that every model has, but for energy and power, which are sums.
pub fn all() -> Vec<Method> {
    use FunctionRole as F;
    use Given::{Positions, State, Time};
    let at = [Time, Positions];
    let initial = [(Role::InitialResidual, "residual"), (Role::InitialJacobian, "jacobian")];
    let bias = [(Role::ConstraintRate, "rate"), (Role::ConstraintAcceleration, "acceleration")];
    let relative = [(Role::ContactRate, "rate"), (Role::ContactAcceleration, "acceleration")];
    vec![
        Method::plain(F::MassMatrix, &[Positions], &[(Role::MassMatrix, "out")]),
        Method::plain(F::BiasForce, &INSTANT[1..], &[(Role::BiasForce, "out")]),
        Method::plain(F::AppliedForce, &INSTANT, &[(Role::AppliedForce, "out")]),
        Method::plain(F::Constraint, &at, &[(Role::Constraint, "out")]),
        Method::plain(F::ConstraintJacobian, &at, &[(Role::ConstraintJacobian, "out")]),
        Method::plain(F::ConstraintBias, &INSTANT, &bias),
        Method::plain(F::ContactGap, &at, &[(Role::ContactGap, "out")]),
        Method::plain(F::ContactJacobian, &at, &[(Role::ContactJacobian, "out")]),
        Method::plain(F::ContactBias, &INSTANT, &relative),
        Method::plain(F::Outputs, &[State], &[(Role::Outputs, "out")]),
        Method::plain(F::Residual, &[State], &[(Role::Residual, "r"), (Role::Constraint, "g")]),
        iteration_matrix(),
        from_linearization(Role::Damping),
        from_linearization(Role::Stiffness),
        Method::plain(F::InitialPosition, &at, &initial),
        Method::plain(F::InitialVelocity, &INSTANT, &initial),
    ]
}

/// The derivatives of a model that is linearised or differentiated, beside those that every model has.
fn of_linearization(layout: &Layout) -> Vec<Method> {
    use FunctionRole as F;
    let of_constraints = [
        (Role::ConstraintRateByPosition, "rate_by_q"),
        (Role::ConstraintAccelerationByPosition, "acceleration_by_q"),
        (Role::ConstraintAccelerationByVelocity, "acceleration_by_v"),
    ];
    let of_outputs = [
        (Role::OutputByPosition, "by_q"),
        (Role::OutputByVelocity, "by_v"),
        (Role::OutputByAcceleration, "by_a"),
        (Role::OutputByMultiplier, "by_lambda"),
        (Role::OutputByInput, "by_u"),
    ];
    let target = |role, slice| Target { role, slice, table: own_name(role), factor: Factor::One };
    let of_residual = Method {
        name: "residual_derivatives".to_owned(),
        targets: vec![
            target(Role::MassMatrix, "by_a"),
            target(Role::Damping, "by_v"),
            target(Role::Stiffness, "by_q"),
            target(Role::ConstraintJacobian, "jacobian"),
        ],
        ..optional(F::Linearization, &[])
    };
    let by_state = [
        of_residual,
        optional(F::ConstraintDerivatives, &of_constraints),
        optional(F::ContactDerivatives, &[(Role::ContactRateByPosition, "rate_by_q")]),
        optional(F::InputDerivatives, &[(Role::ForceByInput, "out")]),
        optional(F::OutputDerivatives, &of_outputs),
    ];
    let of_motion = [
        (Role::ForceByParameter, "force"),
        (Role::ConstraintByParameter, "constraint"),
        (Role::ConstraintRateByParameter, "rate"),
        (Role::ConstraintAccelerationByParameter, "acceleration"),
    ];
    let of_laws = [
        (Role::GapByParameter, "gap"),
        (Role::ContactRateByParameter, "rate"),
        (Role::RestitutionByParameter, "restitution"),
        (Role::FrictionByParameter, "friction"),
    ];
    let of_start = [
        (Role::InitialPositionByParameter, "position"),
        (Role::InitialVelocityByParameter, "velocity"),
        (Role::InitialVelocityByPosition, "velocity_by_q"),
        (Role::ReferenceByParameter, "reference"),
    ];
    let by_parameter = [
        optional(F::ParameterDerivatives, &of_motion),
        optional(F::ContactParameterDerivatives, &of_laws),
        optional(F::OutputParameterDerivatives, &[(Role::OutputByParameter, "out")]),
        Method { given: INSTANT.to_vec(), ..optional(F::InitialDerivatives, &of_start) },
    ];
    let is_differentiated = !layout.differentiated.is_empty();
    let by_state = by_state.into_iter().filter(|_| layout.is_linearized);
    by_state.chain(by_parameter.into_iter().filter(|_| is_differentiated)).collect()
}

/// The functions that this model has without being asked for them by name.
pub fn of_model(layout: &Layout, members: &[Members]) -> Vec<Method> {
    all().into_iter().chain(of_linearization(layout)).chain(of_borders(layout)).chain(of_assembly(members)).collect()
}

/// What tells where formulas give way to others, if some do.
fn of_borders(layout: &Layout) -> Option<Method> {
    let results = [
        (Role::Switch, "values"),
        (Role::SwitchRate, "rates"),
        (Role::SwitchByPosition, "by_q"),
        (Role::SwitchByVelocity, "by_v"),
        (Role::SwitchByParameter, "by_p"),
    ];
    (layout.switches > 0).then(|| optional(FunctionRole::SwitchingFunctions, &results))
}

/// A function of the state that not every model has.
fn optional(function: FunctionRole, results: &[(Role, &'static str)]) -> Method {
    Method { is_optional: true, ..Method::plain(function, &[Given::State], results) }
}

/// The sides of joints, if a member has any.
fn of_assembly(members: &[Members]) -> Option<Method> {
    let function = FunctionRole::AssemblySides;
    let has = |members: &Members| members.scheduled.functions.iter().any(|known| known.role == function);
    let method = Method::plain(function, &[Given::Time, Given::Positions], &[(Role::AssemblySide, "out")]);
    members.iter().any(has).then_some(Method { is_optional: true, ..method })
}

/// The functions that this model was asked for, in the order of its kernels.
pub fn on_request(members: &[Members]) -> Vec<Method> {
    let functions = members.iter().flat_map(|members| &members.scheduled.functions);
    functions.filter(|function| function.role.is_on_request()).map(requested).collect()
}

/// A function on request of the one kernel that has it.
fn requested(function: &ScheduledFunction) -> Method {
    use FunctionRole as F;
    use Given::{Accelerations, Forces, Positions, Time, Velocities, Weights};
    let (driven, moved): (&[Given], &[Given]) =
        (&[Time, Positions, Velocities, Forces], &[Time, Positions, Velocities, Accelerations]);
    let (resting, moving): (&[Given], &[Given]) = (&[Positions], &[Positions, Velocities]);
    let given = match function.role {
        F::NonlinearEffects => &INSTANT,
        F::InverseDynamics | F::InverseDynamicsDerivatives | F::ConstraintAccelerationDerivatives => moved,
        F::ForwardDynamics | F::ForwardDynamicsDerivatives => driven,
        F::InverseDynamicsSecondDerivatives => &[Time, Positions, Velocities, Accelerations, Weights],
        F::CoriolisMatrix | F::CentroidalMomentumBias => moving,
        F::Regressor => &[Positions, Velocities, Accelerations],
        F::OfFrame(OfFrame { function, .. }) => match function {
            FrameFunction::Pose | FrameFunction::Jacobian => resting,
            FrameFunction::Velocity | FrameFunction::JacobianBias | FrameFunction::VelocityDerivatives => moving,
            FrameFunction::Acceleration | FrameFunction::AccelerationDerivatives => {
                &[Positions, Velocities, Accelerations]
            }
        },
        _ => resting,
    };
    let slice = |role: Role| match (function.role, role) {
        (F::NonlinearEffects, _) => "effects",
        (F::CenterOfMass, Role::Position) => "center",
        (F::CenterOfMass, _) => "jacobian",
        _ => role_name(role),
    };
    let results: Vec<(Role, &'static str)> =
        function.outputs.iter().map(|output| (output.role, slice(output.role))).collect();
    Method { name: function.name.clone(), ..Method::plain(function.role, given, &results) }
}

/// `[ ca M + cv D + cq K , −Gᵀ ; G , 0 ]`
fn iteration_matrix() -> Method {
    let block = |role: Role, ending: &str, factor| {
        let table = scatter_name(FunctionRole::Linearization, role) + ending;
        Target { role, slice: "values", table, factor }
    };
    Method {
        name: "iteration_matrix".to_owned(),
        function: FunctionRole::Linearization,
        given: vec![Given::State],
        factors: &["ca", "cv", "cq"],
        targets: vec![
            block(Role::MassMatrix, "", Factor::Argument(0)),
            block(Role::Damping, "", Factor::Argument(1)),
            block(Role::Stiffness, "", Factor::Argument(2)),
            block(Role::ConstraintJacobian, "", Factor::One),
            block(Role::ConstraintJacobian, "_transposed", Factor::MinusOne),
        ],
        is_optional: false,
    }
}

fn from_linearization(role: Role) -> Method {
    Method {
        name: role_name(role).to_owned(),
        function: FunctionRole::Linearization,
        given: vec![Given::State],
        factors: &[],
        targets: vec![Target { role, slice: "out", table: own_name(role), factor: Factor::One }],
        is_optional: false,
    }
}

impl Method {
    fn plain(function: FunctionRole, given: &[Given], results: &[(Role, &'static str)]) -> Method {
        let target = |&(role, slice): &(Role, &'static str)| Target {
            role,
            slice,
            table: scatter_name(function, role),
            factor: Factor::One,
        };
        Method {
            name: function_name(function).to_owned(),
            function,
            given: given.to_vec(),
            factors: &[],
            targets: results.iter().map(target).collect(),
            is_optional: false,
        }
    }

    /// The kernels that fill one of its targets.
    pub fn contributions<'m, 'a>(&self, members: &'m [Members<'a>]) -> Vec<Contribution<'m, 'a>> {
        let fills_any = |function: &ScheduledFunction| self.targets.iter().any(|target| fills(function, target.role));
        contributions(members, self.function).into_iter().filter(|(_, function)| fills_any(function)).collect()
    }

    /// Whether it calls other functions of the model instead of kernels.
    pub fn is_composed(&self, members: &[Members]) -> bool {
        let mut functions = members.iter().flat_map(|members| &members.scheduled.functions);
        functions.any(|function| function.role == self.function && function.is_composed())
    }

    /// Its slices, in order.
    pub fn slices(&self) -> Vec<&'static str> {
        let mut slices: Vec<&str> = self.targets.iter().map(|target| target.slice).collect();
        slices.dedup();
        slices
    }

    /// The output of the only kernel that fills this target, if it does it in the model's own order, so that it can write
    /// there.
    pub fn direct<'m>(&self, target: &Target, contributions: &[Contribution<'m, '_>]) -> Option<&'m ScheduledOutput> {
        let [(members, function)] = contributions else { return None };
        let is_alone = self.targets.iter().filter(|other| other.slice == target.slice).count() == 1;
        let is_in_order = is_alone && members.is_single() && !members.has_table(&target.table);
        function.results().map(|(_, output)| output).find(|output| is_in_order && output.role == target.role)
    }

    /// Whether a slice is filled with zeros first, because not all of it is overwritten.
    pub fn is_zeroed(&self, slice: &str, contributions: &[Contribution]) -> bool {
        let is_overwritten = |target: &Target| {
            let direct = self.direct(target, contributions);
            target.slice == slice && direct.is_some_and(|output| !output.is_dense || output.is_complete())
        };
        !self.targets.iter().any(is_overwritten)
    }
}

/// The kernels that have this function, with results.
pub fn contributions<'m, 'a>(members: &'m [Members<'a>], role: FunctionRole) -> Vec<Contribution<'m, 'a>> {
    let of = |members: &'m Members<'a>| {
        let functions = members.scheduled.functions.iter().filter(move |function| function.role == role);
        functions.map(move |function| (members, function))
    };
    members.iter().flat_map(of).filter(|(_, function)| function.results().next().is_some()).collect()
}

/// Whether no constraint depends on time.
pub fn is_scleronomic(members: &[Members]) -> bool {
    let rates = contributions(members, FunctionRole::ConstraintBias);
    !rates.iter().any(|(_, function)| fills(function, Role::ConstraintRate))
}

/// Whether a function of a kernel has a result of this kind.
pub(crate) fn fills(function: &ScheduledFunction, role: Role) -> bool {
    function.results().any(|(_, output)| output.role == role)
}
