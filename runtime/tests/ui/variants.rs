use hamel::Model;

/// Chains that differ in numbers alone.
macro_rules! chain {
    ($name:ident, $n:literal, $($length:tt)*) => {
        hamel::multibody! {
            pub model $name {
                planar;
                const n = $n;
                param length = $($length)*;
                for i in 0..n {
                    body link[i] { mass: 1 kg, inertia: 0.1 kg m^2 }
                }
                joint first: revolute(ground, link[0] at [-length / 2, 0]);
                for i in 1..n {
                    joint next[i]: revolute(link[i - 1] at [length / 2, 0], link[i] at [-length / 2, 0]);
                }
            }
        }
    };
}

chain!(Short, 2, 1 m);
chain!(Long, 5, 50 cm);

pub fn main() {
    assert_eq!(Short::default().dims().nv, 6);
    assert_eq!(Long::default().dims().nv, 15);
    assert_eq!(Long::default().parameters().length, 0.5);
}
