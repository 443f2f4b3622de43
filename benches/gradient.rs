//! A motion of a thousand steps alone, with the sensitivities of ten parameters, and with a gradient by all parameters.
//!
//! Differences of motions would take one more motion for each parameter, and twice as many where they are central.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hamel::gradient::{Differentiated, Direction, Instant, Slopes};
use hamel::{Model, initial_state, schemes};

hamel_macros::multibody! {
    model SliderCrank {
        planar;
        coordinates absolute;
        param radius = 0.2 m;
        param length = 0.6 m;
        param crank_mass = 1 kg;
        param rod_mass = 0.8 kg;
        param block_mass = 0.5 kg;
        param crank_inertia = 0.01 kg m^2;
        param rod_inertia = 0.03 kg m^2;
        param stiffness = 40 N/m;
        param speed = 5 rad/s;
        param torque = 0.7 N m;
        gravity [0, -9.81] m/s^2;
        body crank { mass: crank_mass, inertia: crank_inertia }
        body rod { mass: rod_mass, inertia: rod_inertia }
        body block { mass: block_mass, inertia: 0.001 kg m^2 }
        joint shaft: revolute(ground, crank at [-radius / 2, 0 m]);
        joint pin: revolute(crank at [radius / 2, 0 m], rod at [-length / 2, 0 m]);
        joint wrist: revolute(rod at [length / 2, 0 m], block);
        joint guide: prismatic(ground, block) { cut }
        force spring: spring(ground at [1, 0] m, block) { stiffness: stiffness }
        torque motor: torque on crank;
        initial crank.angle = 0.6 rad;
        initial crank.angular_velocity = speed;
        output stroke = block.position.x;
        differentiate all;
    }
}

hamel_macros::multibody! {
    /// Seven hinges, about axes that cross by turns; fifty parameters.
    model Arm {
        coordinates joint;
        const n = 7;
        param mass = [4, 3.5, 3, 2.5, 2, 1.5, 1] kg;
        param center = [[0.01, 0.02, 0.1]; 7] m;
        param inertia = [[0.05, 0.04, 0.02]; 7] kg m^2;
        param damping = 0.3 N m s/rad;
        gravity [0, 0, -9.81] m/s^2;
        for k in 0..n {
            body link[k] {
                mass: mass[k],
                center_of_mass: center[k],
                inertia: diag(inertia[k].x, inertia[k].y, inertia[k].z),
            }
        }
        joint hinge[0]: revolute(ground, link[0]) { axis: [0, 0, 1] }
        joint hinge[1]: revolute(link[0] at [0, 0, 0.3] m, link[1]) { axis: [0, 1, 0] }
        joint hinge[2]: revolute(link[1] at [0, 0, 0.2] m, link[2]) { axis: [0, 0, 1] }
        joint hinge[3]: revolute(link[2] at [0.08, 0, 0.2] m, link[3]) { axis: [0, 1, 0] }
        joint hinge[4]: revolute(link[3] at [-0.08, 0, 0.2] m, link[4]) { axis: [0, 0, 1] }
        joint hinge[5]: revolute(link[4] at [0, 0, 0.2] m, link[5]) { axis: [0, 1, 0] }
        joint hinge[6]: revolute(link[5] at [0.09, 0, 0] m, link[6]) { axis: [1, 0, 0] }
        for k in 0..n {
            torque friction[k]: -damping * hinge[k].velocity on hinge[k];
            initial hinge[k].angle = 0.3 rad;
        }
        output tip = (link[6] at [0, 0, 0.1] m).position;
        differentiate all;
    }
}

const STEP: f64 = 1e-3;

fn gradients_of(model: &dyn Model, criterion: &mut Criterion) {
    let info = model.describe();
    let directions: Vec<Direction> = (0..10.min(info.differentiated.len())).map(Direction::Parameter).collect();
    let mean = |instant: &Instant, slopes: &mut Slopes| {
        slopes.outputs[0] = instant.weight;
        instant.weight * instant.outputs[0]
    };
    for key in ["runge_kutta", "generalized_alpha", "esdirk436", "radau_iia5"] {
        let scheme = schemes::by_name(key, &[]).expect("a scheme of the registry");
        let motion = Differentiated::new(model, &*scheme).step(STEP).until(1.0);
        let mut group = criterion.benchmark_group(format!("gradient/{}/{key}", info.name));
        group.sample_size(10);
        group.bench_function("motion alone", |bencher| {
            bencher.iter(|| {
                let start = initial_state(model).expect("a start");
                let mut stepper = scheme.start(model, start).expect("a stepper");
                for _ in 0..1000 {
                    stepper.step(STEP).expect("a step");
                }
                black_box(stepper.state().q[0])
            });
        });
        group.bench_function(format!("sensitivities of {} parameters", directions.len()), |bencher| {
            bencher
                .iter(|| motion.sensitivities(&directions, &mut |_, changes| _ = black_box(changes)).expect("slopes"));
        });
        group.bench_function(format!("gradient by {} parameters", info.differentiated.len()), |bencher| {
            bencher.iter(|| black_box(motion.gradient(&mean).expect("slopes")));
        });
    }
}

fn gradient(criterion: &mut Criterion) {
    gradients_of(&SliderCrank::default(), criterion);
    gradients_of(&Arm::default(), criterion);
}

criterion_group!(benches, gradient);
criterion_main!(benches);
