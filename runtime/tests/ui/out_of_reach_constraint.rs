use hamel::multibody;

multibody! {
    pub model Stuck {
        planar;
        coordinates joint;
        body rod { mass: 1 kg, inertia: 1 kg m^2 }
        joint hinge: revolute(ground, rod);
        constraint shift: rod.position.x == 0.1 m;
    }
}

fn main() {}
