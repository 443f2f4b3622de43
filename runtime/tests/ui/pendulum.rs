use hamel::Model;
use hamel::multibody;

multibody! {
    /// A pendulum.
    pub model Pendulum {
        planar;
        coordinates joint;
        param length = 1.0 m;
        gravity [0, -9.81] m/s^2;
        body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint hinge: revolute(ground, rod at [-length / 2, 0]);
    }
}

pub fn main() {
    let model = Pendulum::new(PendulumParameters { length: 2.0 });
    assert_eq!(model.dims().nq, 1);
}
