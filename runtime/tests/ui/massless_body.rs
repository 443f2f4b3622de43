use hamel::multibody;

multibody! {
    pub model Pendulum {
        planar;
        coordinates absolute;
        body rod { mass: 0 kg, inertia: 0.1 kg m^2 }
        joint hinge: revolute(ground, rod);
    }
}

fn main() {}
