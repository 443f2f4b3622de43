//! Diagonally implicit Runge-Kutta schemes with an explicit first stage, stiffly accurate: the trapezoidal rule, Bathe's
//! schemes, MSSTC, MSSTH and the ESDIRK schemes of Kennedy and Carpenter. [zhang, Sects. 2.2, 2.3]
//!
//! The coefficients stand in [`crate::tables`]; here is the step. A stage is a time point with all equations of motion
//! and constraints; the last stage is the new state, and its derivative the first stage of the next step.

use nalgebra::{DMatrix, DVector};

use super::quadrature_estimate::Estimator;
use super::time_point::TimePoint;
use crate::linear_analysis::Oscillator;
use crate::model::{Model, State};
use crate::nonsmooth::{self, ContactStepper, Contacts};
use crate::prelude::*;
use crate::scheme::{
    ConstraintLevel, ErrorEstimate, Options, Predictor, RotationReference, Scheme, SideBySide, Stepper,
};
use crate::step::{StepError, StepStats};
use crate::tables::Tableau;
use crate::tangent::{Point, STATE, StepMap};

/// Order of the estimate with constraints: that of the stages.
const BOUND: u32 = 2;

/// A scheme given by its tableau; members that are known by name come from [`super::by_name`].
#[derive(Clone, Debug)]
pub struct DiagonallyImplicit {
    name: String,
    key: Option<&'static str>,
    order: u32,
    tableau: Tableau,
    predictor: Predictor,
}

impl DiagonallyImplicit {
    /// A scheme whose tableau has an explicit first stage, implicit others and the weights as its last row.
    ///
    /// # Errors
    /// [`StepError::BadParameter`] for any other tableau.
    ///
    /// # Examples
    /// ```
    /// use hamel::schemes::DiagonallyImplicit;
    /// use hamel::{Scheme, tables};
    ///
    /// let scheme = DiagonallyImplicit::new("ρ∞-Bathe", 2, tables::rho_bathe(0.4)?)?;
    /// assert_eq!(scheme.order(), 2);
    /// // Its stages depend on each other.
    /// assert!(DiagonallyImplicit::new("Radau IIA", 5, tables::radau_iia5()).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: impl Into<String>, order: u32, tableau: Tableau) -> Result<Self, StepError> {
        let name = name.into();
        let bad = |reason: &str| StepError::BadParameter { scheme: name.clone(), reason: reason.to_owned() };
        if let Some(fault) = tableau.fault() {
            return Err(bad(fault));
        }
        let is_implicit = (1..tableau.stages()).all(|i| tableau.matrix[i][i] != 0.0);
        let is_staged = tableau.stages() > 1 && tableau.has_explicit_first_stage() && tableau.is_diagonally_implicit();
        if !(is_staged && is_implicit) {
            return Err(bad("expected a tableau with an explicit first stage and diagonally implicit others"));
        }
        if !tableau.is_stiffly_accurate() {
            return Err(bad("expected the weights as the last row of the tableau"));
        }
        Ok(Self { name, key: None, order, tableau, predictor: Predictor::TwoPoint })
    }

    /// The same scheme as an entry of the registry.
    pub(super) fn with_key(self, key: &'static str) -> Self {
        Self { key: Some(key), ..self }
    }

    /// The same scheme with another predictor in its last stage; that of other stages has at most two points.
    pub(super) fn with_predictor(self, predictor: Predictor) -> Self {
        Self { predictor, ..self }
    }
}

impl Scheme for DiagonallyImplicit {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn key(&self) -> Option<&'static str> {
        self.key
    }

    fn order(&self) -> u32 {
        self.order
    }

    fn stages(&self) -> u32 {
        self.tableau.stages() as u32 - 1
    }

    fn tableau(&self) -> Option<&Tableau> {
        Some(&self.tableau)
    }

    fn estimates_errors(&self) -> bool {
        self.tableau.embedded.is_some() || self.order == 2
    }

    fn level_of_chosen_steps(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }

    /// With other coefficients the coupling of the stages lifts a body off its support again and again.
    fn carries_contacts(&self) -> bool {
        self.tableau.rests_on_contacts()
    }

    fn abreast(&self) -> SideBySide {
        SideBySide::Always
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(self.tableau.amplification(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        let nv = model.dims().nv;
        let stepper = DiagonallyImplicitStepper {
            name: self.label(),
            order: self.order,
            tableau: self.tableau.clone(),
            reference: options.rotation_reference,
            predictor: options.predictor.unwrap_or(self.predictor),
            point: TimePoint::new(model, &initial, options),
            error: [DVector::zeros(nv), DVector::zeros(nv)],
            dt: 0.0,
            quadrature: (self.order == 2).then(|| Estimator::new(model, &initial, self.order)),
            has_advanced: false,
            stages: vec![initial; self.tableau.stages()],
        };
        let unknowns = stepper.point.size();
        Ok(nonsmooth::with_contacts(stepper, model, &self.label(), &options.contacts, unknowns, 1))
    }
}

#[derive(Clone)]
struct DiagonallyImplicitStepper<'m> {
    name: String,
    order: u32,
    tableau: Tableau,
    reference: RotationReference,
    predictor: Predictor,
    point: TimePoint<'m>,
    /// The first one is the current state; the last one belongs to the step before.
    stages: Vec<State>,
    /// Length of the last step, and whether the state is its end.
    dt: f64,
    has_advanced: bool,
    /// Estimates errors where there is no embedded scheme.
    quadrature: Option<Estimator<'m>>,
    /// Difference to the embedded scheme in x and v.
    error: [DVector<f64>; 2],
}

impl Stepper for DiagonallyImplicitStepper<'_> {
    fn state(&self) -> &State {
        &self.stages[0]
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        self.advance(dt, None)
    }

    fn error_estimate(&mut self) -> Option<ErrorEstimate<'_>> {
        let Self { error, tableau, point, stages, dt, quadrature, .. } = self;
        // The step has exchanged its ends.
        let last = stages.len() - 1;
        let Some(embedded) = tableau.embedded.as_ref() else {
            let correct = |error: &mut [f64]| point.make_tangential_on_positions(error);
            return Some(quadrature.as_mut()?.evaluate(&stages[last], &stages[0], correct));
        };
        // h Σ (b − b̂) ẏ
        point.begin(&stages[last].q);
        for (stage, (weight, embedded)) in tableau.weights.iter().zip(embedded).enumerate() {
            let place = if stage == 0 { last } else { stage % last };
            point.add(&stages[place], 0.0, *dt * (weight - embedded));
        }
        let [x, v] = error;
        x.copy_from(point.known().0);
        v.copy_from(point.known().1);
        point.make_tangential_on_positions(v.as_mut_slice());
        let order = if point.binds_velocities() { BOUND.min(self.order - 1) } else { self.order - 1 };
        Some(ErrorEstimate { x: x.as_slice(), v: v.as_slice(), order, stats: StepStats::default() })
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        map.begin(STATE.len());
        let last = self.stages.len() - 1;
        // The step has exchanged its ends.
        let state = |stage: usize| match stage {
            0 => &self.stages[last],
            stage => &self.stages[stage % last],
        };
        let [position, velocity, acceleration, multiplier] = STATE;
        let mut points = vec![Point { position, velocity, acceleration, multiplier }];
        for (stage, row) in self.tableau.matrix.iter().enumerate().skip(1) {
            let reference = match self.reference {
                RotationReference::StepStart => 0,
                RotationReference::LastPoint => stage - 1,
            };
            let past: Vec<_> = points
                .iter()
                .zip(row)
                .enumerate()
                .map(|(past, (point, weight))| {
                    let value = if past == 0 { 1.0 } else { 0.0 };
                    (state(past), point.motion(), [value, self.dt * weight])
                })
                .collect();
            let reference = (state(reference), points[reference].position);
            points.push(self.point.write_map(map, reference, (&past, &[]), (self.dt * row[stage], state(stage))));
        }
        map.end(points[last].all());
        Ok(())
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        self.point.leave_out(constraints);
        true
    }

    fn retreat(&mut self) -> bool {
        self.has_advanced = false;
        let last = self.stages.len() - 1;
        self.stages.swap(0, last);
        true
    }

    fn resume(&mut self, next: &State) -> bool {
        self.has_advanced = false;
        self.quadrature.iter_mut().for_each(Estimator::forget);
        self.stages[0].a.copy_from(&next.a);
        self.stages[0].lambda.copy_from(&next.lambda);
        true
    }

    fn correctable(&mut self) -> Option<&mut State> {
        Some(&mut self.stages[0])
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        Some(Box::new(self.clone()))
    }
}

impl ContactStepper for DiagonallyImplicitStepper<'_> {
    fn step_with_contacts(&mut self, dt: f64, contacts: &mut Contacts) -> Result<StepStats, StepError> {
        self.advance(dt, Some(contacts))
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.stages[0]
    }

    fn renew(&mut self) {}
}

impl DiagonallyImplicitStepper<'_> {
    fn advance(&mut self, dt: f64, mut contacts: Option<&mut Contacts>) -> Result<StepStats, StepError> {
        super::check_step_size(&self.name, dt)?;
        let start = self.stages[0].t;
        let last = self.stages.len() - 1;
        let mut stats = StepStats::default();
        if let (true, Some(quadrature)) = (self.has_advanced, &mut self.quadrature) {
            quadrature.continue_from(&self.stages[last]);
        }
        self.has_advanced = false;
        for stage in 1..=last {
            let row = &self.tableau.matrix[stage];
            let reference = match self.reference {
                RotationReference::StepStart => 0,
                RotationReference::LastPoint => stage - 1,
            };
            self.point.begin(&self.stages[reference].q);
            self.point.add(&self.stages[0], 1.0, dt * row[0]);
            for (past, &weight) in self.stages[..stage].iter().zip(row).skip(1) {
                self.point.add(past, 0.0, dt * weight);
            }
            let t = if stage == last { start + dt } else { start + dt * self.tableau.nodes[stage] };
            let past = &self.stages;
            match stage {
                1 => self.point.guess(Predictor::Constant, t, &[&past[0]]),
                2 => self.point.guess(self.predictor, t, &[&past[1], &past[0]]),
                _ => {
                    let predictor = if stage == last { self.predictor } else { self.two_point_at_most() };
                    self.point.guess(predictor, t, &[&past[stage - 1], &past[stage - 2], &past[stage - 3]]);
                }
            }
            stats += self.point.solve(t, dt * row[stage], start, &self.name, contacts.as_deref_mut())?;
            self.stages[stage].copy_from(self.point.state());
        }
        if let Some(contacts) = contacts {
            contacts.record_forces(0, 1.0);
        }
        (self.dt, self.has_advanced) = (dt, true);
        self.stages.swap(0, last);
        Ok(stats)
    }

    fn two_point_at_most(&self) -> Predictor {
        if self.predictor == Predictor::Constant { Predictor::Constant } else { Predictor::TwoPoint }
    }
}
