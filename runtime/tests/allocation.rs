//! A step allocates nothing, for every scheme, dense and sparse.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::common::{Chain, FreeBody, HeavyTop, Oscillator, Particle, Pendulum, Slider, Train};
use hamel::adaptive::{AdaptiveStepper, Control};
use hamel::{ConstraintLevel, Model, Options, State, StepError, schemes};

/// The system's allocator, counting the calls of each thread.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more.
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: every call is passed on unchanged to the system's allocator.
#[allow(unsafe_code)] // An allocator cannot be written without.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steps_do_not_allocate() {
    let body = FreeBody::TUMBLING;
    let clearance = Slider::TABLE_1;
    // All corners touch all the time.
    let tight = Slider { clearance: 0.0, ..clearance };
    let particle = Particle::on(clearance.law);
    let train = Train { stiffness: 1.0 };
    let cases: [(&dyn Model, State, f64); 9] = [
        (&Oscillator, Oscillator::initial(), 0.01),
        (&Pendulum, Pendulum::initial(), 0.01),
        (&body, body.initial(FreeBody::SPIN), 0.01),
        (&HeavyTop, HeavyTop::initial(), 1e-3),
        (&Chain, Chain::initial(), 1e-3),
        (&clearance, clearance.initial(), 1.5e-4),
        (&tight, tight.initial(), 1e-4),
        (&particle, Particle::initial(0.0, [1.0, 2.0, 0.0]), 1e-3),
        (&train, train.initial(), 1e-3),
    ];
    for (model, initial, dt) in cases {
        for scheme in schemes::all() {
            let mut stepper = match scheme.start(model, initial.clone()) {
                Ok(stepper) => stepper,
                Err(StepError::Undefined { .. }) => continue,
                Err(error) => panic!("{error}"),
            };
            // A few steps of a size before the next: changes are free, too.
            let mut run = |steps: u32| {
                for step in 0..steps {
                    stepper.step(if step / 6 % 2 == 0 { dt } else { 0.8 * dt }).unwrap();
                }
            };
            // The sparse solver chooses its pivots at the first factorizations; LMS4 starts with other steps.
            run(8);
            let before = CALLS.get();
            run(20);
            let calls = CALLS.get() - before;
            assert_eq!(calls, 0, "{} on {}", scheme.name(), model.describe().name);
        }
    }
}

#[test]
fn steps_that_a_tolerance_chooses_do_not_allocate() {
    let body = FreeBody::TUMBLING;
    let cases: [(&dyn Model, State); 5] = [
        (&Oscillator, Oscillator::initial()),
        (&Pendulum, Pendulum::initial()),
        (&body, body.initial(FreeBody::SPIN)),
        (&HeavyTop, HeavyTop::initial()),
        (&Chain, Chain::initial()),
    ];
    let mut rejected = 0;
    for (model, initial) in cases {
        for scheme in schemes::all().iter().filter(|scheme| scheme.estimates_errors()) {
            for level in [ConstraintLevel::Velocity, ConstraintLevel::Position, ConstraintLevel::Acceleration] {
                let options = Options { constraint_level: Some(level), ..Options::default() };
                let what = format!("{} on {} with {level:?}", scheme.name(), model.describe().name);
                let control = Control::tolerance(1e-5);
                let started = AdaptiveStepper::new(model, &**scheme, &options, initial.clone(), control);
                let mut stepper = match started {
                    Ok(stepper) => stepper,
                    Err(StepError::Undefined { .. }) => continue,
                    Err(error) => panic!("{what}: {error}"),
                };
                let mut run = |steps: u32| (0..steps).for_each(|_| _ = stepper.step(10.0).expect(&what));
                run(12);
                let before = CALLS.get();
                run(20);
                let calls = CALLS.get() - before;
                assert_eq!(calls, 0, "{what}");
                rejected += stepper.counts()[1];
            }
        }
    }
    assert!(rejected > 0);
}

#[test]
fn the_counter_counts() {
    let before = CALLS.get();
    std::hint::black_box(vec![1.0; 10]);
    assert_eq!(CALLS.get() - before, 1);
}
