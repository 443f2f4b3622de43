//! The bicycle of Whipple with the data of J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab, *Linearized
//! dynamics equations for the balance and steer of a bicycle: a benchmark and review*, Proc. R. Soc. A 463 (2007): the
//! eigenvalues of its motion straight ahead, which are printed with sixteen digits.

use hamel::{Model, initial_state};
use hamel_macros::multibody;
use nalgebra::{Complex, Matrix4, Vector2};

multibody! {
    /// Two wheels, a frame with its rider and a fork, which roll without slipping; x points ahead, z down.
    model Bicycle {
        coordinates joint(euler_zyx);
        param speed = 5 m/s;
        param lean = 0 rad;
        param steer = 0 rad;
        param lean_rate = 0 rad/s;
        param steer_rate = 0 rad/s;
        param wheel_base = 1.02 m;
        param trail = 0.08 m;
        param tilt = pi / 10 rad;                                               // of the steering axis
        param rear_radius = 0.3 m;
        param front_radius = 0.35 m;

        gravity [0, 0, 9.81] m/s^2;
        // Frame and fork have their origins in the middle of their wheels.
        body frame {
            mass: 85 kg, center_of_mass: [0.3, 0, -0.6] m,
            inertia: [[9.2, 0, 2.4], [0, 11, 0], [2.4, 0, 2.8]] kg m^2,
        }
        body fork {
            mass: 4 kg, center_of_mass: [-0.12, 0, -0.35] m,
            inertia: [[0.05892, 0, -0.00756], [0, 0.06, 0], [-0.00756, 0, 0.00708]] kg m^2,
        }
        body rear { mass: 2 kg, inertia: diag(0.0603, 0.12, 0.0603) kg m^2 }
        body front { mass: 3 kg, inertia: diag(0.1405, 0.28, 0.1405) kg m^2 }
        joint way: free(ground, frame);
        joint steering: revolute(
            frame at [wheel_base + trail, 0, rear_radius] rotated rotation_y(tilt),
            fork at [trail, 0, front_radius] rotated rotation_y(tilt),
        ) { coordinate: delta }
        joint rear_axle: revolute(frame, rear) { axis: [0, 1, 0] }
        joint front_axle: revolute(fork, front) { axis: [0, 1, 0] }

        let rear_axis = [frame.rotation[0][1], frame.rotation[1][1], frame.rotation[2][1]];
        let front_axis = [fork.rotation[0][1], fork.rotation[1][1], fork.rotation[2][1]];
        let rear_rise = sqrt(1 - rear_axis.z^2);
        let front_rise = sqrt(1 - front_axis.z^2);
        let rear_down = ([0, 0, 1] - rear_axis.z * rear_axis) / rear_rise;
        let front_down = ([0, 0, 1] - front_axis.z * front_axis) / front_rise;
        let rear_slip = rear.velocity + cross(rear.angular_velocity, rear_radius * rear_down);
        let front_slip = front.velocity + cross(front.angular_velocity, front_radius * front_down);
        constraint rear_touch: rear.position.z + rear_radius * rear_rise == 0;
        constraint front_touch: front.position.z + front_radius * front_rise == 0;
        constraint rear_along: rear_slip.x == 0 as velocity;
        constraint rear_across: rear_slip.y == 0 as velocity;
        constraint front_along: front_slip.x == 0 as velocity;
        constraint front_across: front_slip.y == 0 as velocity;

        initial frame.position.x = 0;
        initial frame.position.y = 0;
        initial frame.yaw = 0;
        initial frame.roll = lean;
        initial delta = steer;
        initial (frame.angular_velocity in frame).x = lean_rate;
        initial steering.velocity = steer_rate;
        initial rear_axle.velocity = -speed / rear_radius;
        output lean_acceleration = (frame.angular_acceleration in frame).x;
        output steer_acceleration = delta.acceleration;
    }
}

/// Accelerations of lean and steer at a lean, a steer and their rates.
fn accelerations(speed: f64, at: [f64; 4]) -> Vector2<f64> {
    let [lean, steer, lean_rate, steer_rate] = at;
    let parameters = BicycleParameters { speed, lean, steer, lean_rate, steer_rate, ..Default::default() };
    let model = Bicycle::new(parameters);
    let state = initial_state(&model).expect("both wheels on the ground");
    let mut outputs = [0.0; 2];
    model.outputs(&state, &mut outputs);
    outputs.into()
}

/// Eigenvalues of the equations of lean and steer, linearised straight ahead, by real parts.
fn eigenvalues(speed: f64) -> Vec<Complex<f64>> {
    let step = 1e-4;
    let mut matrix = Matrix4::zeros();
    (matrix[(0, 2)], matrix[(1, 3)]) = (1.0, 1.0);
    for column in 0..4 {
        // Differences of fourth order.
        let at =
            |steps: f64| accelerations(speed, std::array::from_fn(|i| if i == column { steps * step } else { 0.0 }));
        let slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step);
        matrix.view_mut((2, column), (2, 1)).copy_from(&slope);
    }
    let mut values: Vec<Complex<f64>> = matrix.complex_eigenvalues().iter().copied().collect();
    values.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
    values
}

#[test]
fn the_bicycle_has_its_published_eigenvalues() {
    let real = |value: f64| Complex::new(value, 0.0);
    let standing =
        [-5.530_943_717_653_557, -3.131_643_247_906_56, 3.131_643_247_906_56, 5.530_943_717_653_557].map(real);
    let weave = Complex::new(-0.775_341_882_195_845, 4.464_867_713_788_229);
    let riding = [real(-14.078_389_692_798_217), weave.conj(), weave, real(-0.322_866_429_004_087)];
    let weave_at_4 = Complex::new(0.413_253_315_211_25, 3.079_108_186_032_06);
    let unstable = [real(-12.158_614_265_764_47), real(-1.429_444_273_613_26), weave_at_4.conj(), weave_at_4];
    let weave_at_10 = Complex::new(-3.720_168_404_372_87, 10.906_811_394_762_87);
    let fast = [real(-24.624_596_350_174_04), weave_at_10.conj(), weave_at_10, real(0.161_053_386_531_72)];
    for (speed, published) in [(0.0, standing), (4.0, unstable), (5.0, riding), (10.0, fast)] {
        for (found, published) in eigenvalues(speed).into_iter().zip(published) {
            assert!((found - published).norm() < 1e-7, "{speed} m/s: {found} instead of {published}");
        }
    }
}
