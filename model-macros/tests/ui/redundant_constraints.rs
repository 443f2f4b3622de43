use hamel_macros::multibody;

multibody! {
    pub model Door {
        coordinates absolute;
        body panel { mass: 20 kg, inertia: diag(1, 1, 1) kg m^2 }
        joint upper: revolute(ground at [0, 0, 2] m, panel at [0, 0, 1] m);
        joint lower: revolute(ground, panel at [0, 0, -1] m);
    }
}

fn main() {}
