use hamel_macros::multibody;

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
    let _ = std::any::type_name::<Pendulum>();
}
