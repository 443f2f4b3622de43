//! Schemes of users that break what `Stepper` promises end runs with an error that says what is missing; none goes on with
//! wrong results.

use hamel::adaptive::Control;
use hamel::linear_analysis::Oscillator;
use hamel::nalgebra::DMatrix;
use hamel::nonsmooth::ContactRecord;
use hamel::scheme::ErrorEstimate;
use hamel::schemes::{self, DormandPrince, Moreau, NewmarkPredictorCorrector, RungeKutta};
use hamel::{
    ConstraintLevel, Drift, Model, Options, Run, Scheme, Signal, Simulation, State, StepError, StepStats, Stepper,
    initial_state,
};

hamel::multibody! {
    model Cart {
        planar;
        coordinates joint;
        input drive N;
        body cart { mass: 1 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, cart);
        force motor: force(cart) { value: [drive, 0] }
        force spring: -4 N/m * rail.displacement on rail;
        initial rail.displacement = 1 m;
    }
}

hamel::multibody! {
    model Rod {
        planar;
        gravity [0, -9.81] m/s^2;
        body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint hinge: revolute(ground, rod at [-1, 0] m);
    }
}

hamel::multibody! {
    model Ball {
        planar;
        coordinates joint;
        gravity [-9.81, 0] m/s^2;
        body ball { mass: 1 kg, inertia: 1 kg m^2 }
        joint fall: prismatic(ground, ball);
        contact floor { gap: fall.displacement }
        initial fall.displacement = 0.1 m;
    }
}

/// What a stepper does not do, or does wrong.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    NoRetreat,
    NoCorrection,
    NoResume,
    Clock(f64),
    NanEstimate,
    /// A record that never changes.
    OldContacts,
    /// A record without contacts.
    NoGaps,
}

/// A scheme of the registry with a fault, and what it says about its forces.
struct Faulty<S>(S, Fault, bool);

impl<S: Scheme> Scheme for Faulty<S> {
    fn name(&self) -> String {
        "mine".into()
    }

    fn order(&self) -> u32 {
        self.0.order()
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        self.0.amplification(oscillator)
    }

    fn preferred_level(&self) -> ConstraintLevel {
        self.0.preferred_level()
    }

    fn carries_contacts(&self) -> bool {
        self.0.carries_contacts()
    }

    fn estimates_errors(&self) -> bool {
        self.0.estimates_errors()
    }

    fn settles_forces(&self) -> bool {
        self.2
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        let inner = self.0.stepper(model, initial, options)?;
        let record = match self.1 {
            Fault::NoGaps => Some(ContactRecord::default()),
            Fault::OldContacts => inner.contacts().cloned(),
            _ => None,
        };
        Ok(Box::new(Wrong { state: inner.state().clone(), inner, fault: self.1, record }))
    }
}

struct Wrong<'m> {
    inner: Box<dyn Stepper + 'm>,
    state: State,
    fault: Fault,
    record: Option<ContactRecord>,
}

impl Stepper for Wrong<'_> {
    fn state(&self) -> &State {
        if let Fault::Clock(_) = self.fault { &self.state } else { self.inner.state() }
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        let stats = self.inner.step(dt)?;
        self.state.clone_from(self.inner.state());
        if let Fault::Clock(factor) = self.fault {
            self.state.t *= factor;
        }
        Ok(stats)
    }

    fn contacts(&self) -> Option<&ContactRecord> {
        self.record.as_ref().or(self.inner.contacts())
    }

    fn error_estimate(&mut self) -> Option<ErrorEstimate<'_>> {
        const NAN: [f64; 1] = [f64::NAN];
        let estimate = self.inner.error_estimate()?;
        Some(if self.fault == Fault::NanEstimate { ErrorEstimate { v: &NAN, ..estimate } } else { estimate })
    }

    fn correctable(&mut self) -> Option<&mut State> {
        if self.fault == Fault::NoCorrection { None } else { self.inner.correctable() }
    }

    fn retreat(&mut self) -> bool {
        self.fault != Fault::NoRetreat && self.inner.retreat()
    }

    fn resume(&mut self, next: &State) -> bool {
        self.fault != Fault::NoResume && self.inner.resume(next)
    }
}

/// The reason why a run has ended.
fn reason(run: Run) -> &'static str {
    match run.outcome {
        Err(StepError::Undefined { reason, .. } | StepError::NoHeadway { reason, .. }) => reason,
        other => panic!("{other:?}, {:?}", run.cautions),
    }
}

#[test]
fn steps_that_cannot_be_undone_are_not_chosen_by_a_tolerance() {
    let cart = Cart::default();
    let run = |fault, first_step| {
        let control = Control { first_step, ..Control::tolerance(1e-6) };
        let scheme = Faulty(DormandPrince, fault, true);
        Simulation::new(&cart, &scheme).control(control).until(2.0).run(initial_state(&cart).unwrap())
    };
    // The first step is too long.
    assert!(reason(run(Fault::NoRetreat, 1.0)).contains("`retreat`"));
    assert!(reason(run(Fault::NanEstimate, 1e-3)).contains("not finite"));
    let sound = run(Fault::None, 1.0);
    sound.outcome.unwrap();
    let end = sound.trajectory.column("rail.displacement").unwrap().next_back().unwrap();
    assert!(sound.rejected > 0 && (end - 4_f64.cos()).abs() < 1e-4);
}

#[test]
fn drift_that_cannot_be_removed_is_refused() {
    let rod = Rod::default();
    let run = |fault, drift| {
        let options = Options { constraint_level: Some(ConstraintLevel::Acceleration), drift, ..Options::default() };
        let scheme = Faulty(RungeKutta, fault, true);
        Simulation::new(&rod, &scheme).options(options).step(1e-2).until(1.0).run(initial_state(&rod).unwrap())
    };
    assert!(reason(run(Fault::NoCorrection, Drift::Removed)).contains("`correctable`"));
    for (fault, drift) in [(Fault::NoCorrection, Drift::Kept), (Fault::None, Drift::Removed)] {
        run(fault, drift).outcome.unwrap();
    }
}

#[test]
fn a_state_at_another_time_ends_the_run() {
    let cart = Cart::default();
    for factor in [0.0, 2.0, 1.0 + 1e-9] {
        for is_chosen in [false, true] {
            let scheme = Faulty(DormandPrince, Fault::Clock(factor), true);
            let simulation = Simulation::new(&cart, &scheme).until(1.0);
            let simulation =
                if is_chosen { simulation.control(Control::tolerance(1e-3)) } else { simulation.step(0.1) };
            assert!(reason(simulation.run(initial_state(&cart).unwrap())).contains("time"));
        }
    }
}

#[test]
fn a_record_of_contacts_belongs_to_the_state() {
    let ball = Ball::default();
    let run = |fault| {
        let scheme = Faulty(Moreau, fault, true);
        Simulation::new(&ball, &scheme).step(1e-3).until(1.0).run(initial_state(&ball).unwrap())
    };
    assert!(reason(run(Fault::OldContacts)).contains("other gaps"));
    assert!(reason(run(Fault::NoGaps)).contains("number of gaps"));
    run(Fault::None).outcome.unwrap();
}

#[test]
fn controllers_need_schemes_that_go_on_after_jumps() {
    let run = |fault| {
        let (drive, held) = Signal::held(0.0);
        let mut cart = Cart::default();
        cart.inputs.drive = drive;
        let scheme = Faulty(RungeKutta, fault, true);
        let simulation = Simulation::new(&cart, &scheme).step(0.1).until(1.0);
        simulation.controller(0.2, [&held], |state| [state.t]).run(initial_state(&cart).unwrap())
    };
    assert!(reason(run(Fault::NoResume)).contains("`resume`"));
    run(Fault::None).outcome.unwrap();
}

#[test]
fn forces_that_settle_are_the_schemes_word() {
    let (rod, options) = (Rod::default(), Options::default());
    // An undamped scheme.
    let warns = |settles| {
        let scheme = NewmarkPredictorCorrector::default();
        schemes::caution(&Faulty(scheme, Fault::None, settles), &rod, &options).is_some()
    };
    assert!(warns(false) && !warns(true));
}

#[test]
fn parameters_are_given_once() {
    let twice = schemes::by_name("newmark", &[("beta", 0.25), ("beta", 0.5)]);
    assert!(matches!(twice.err(), Some(StepError::BadParameter { reason, .. }) if reason.contains("twice")));
}
