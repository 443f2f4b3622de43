//! A motion of a thousand steps alone, with the sensitivities of ten parameters, and with a gradient.

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

const STEP: f64 = 1e-3;

fn gradient(criterion: &mut Criterion) {
    let model = SliderCrank::default();
    let parameters = model.describe().differentiated.len();
    let directions: Vec<Direction> = (0..parameters).map(Direction::Parameter).collect();
    let mean = |instant: &Instant, slopes: &mut Slopes| {
        slopes.outputs[0] = instant.weight;
        instant.weight * instant.outputs[0]
    };
    for key in ["runge_kutta", "generalized_alpha", "radau_iia5"] {
        let scheme = schemes::by_name(key, &[]).expect("a scheme of the registry");
        let motion = Differentiated::new(&model, &*scheme).step(STEP).until(1.0);
        let mut group = criterion.benchmark_group(format!("gradient/{key}"));
        group.sample_size(10);
        group.bench_function("motion alone", |bencher| {
            bencher.iter(|| {
                let start = initial_state(&model).expect("a start");
                let mut stepper = scheme.start(&model, start).expect("a stepper");
                for _ in 0..1000 {
                    stepper.step(STEP).expect("a step");
                }
                black_box(stepper.state().q[0])
            });
        });
        group.bench_function("sensitivities of ten parameters", |bencher| {
            bencher
                .iter(|| motion.sensitivities(&directions, &mut |_, changes| _ = black_box(changes)).expect("slopes"));
        });
        group.bench_function("gradient", |bencher| bencher.iter(|| black_box(motion.gradient(&mean).expect("slopes"))));
    }
}

criterion_group!(benches, gradient);
criterion_main!(benches);
