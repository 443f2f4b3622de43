use hamel::multibody;

multibody! {
    pub model Pendulum {
        planar;
        coordinates joint;
        param length = 1.0 m;
        gravity [0, -9.81] m/s^2;
        body rod { mass: lenght, inertia: 0.1 kg m^2 }
        joint hinge: revolute(ground, rod at [-length / 2, 0 s]);
    }
}

fn main() {
    let (model, other) = (Pendulum::default(), Pendulum::new(3.0));
    let start = hamel::initial_state(&model).unwrap();
    let _ = (hamel::consistent_acceleration(&other, &mut start.clone()), start);
}
