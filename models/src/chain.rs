//! A hanging chain of equal links: twenty instances of one kernel, joined by as many of another.

use hamel_macros::multibody;

multibody! {
    /// Links on ball joints, let go from a horizontal line while the last one is pushed aside.
    pub model Chain {
        coordinates absolute;
        const n = 20;
        param length = 0.1 m;
        param mass = 0.05 kg;
        param width = 0.01 m;

        gravity [0.0, 0.0, -9.81] m/s^2;
        for k in 0..n {
            body link[k] {
                mass: mass,
                inertia: mass / 12 * diag(2 * width^2, length^2 + width^2, length^2 + width^2),
            }
        }
        joint anchor: spherical(ground, link[0] at [-length / 2, 0, 0]);
        for k in 1..n {
            joint pin[k]: spherical(link[k - 1] at [length / 2, 0, 0], link[k] at [-length / 2, 0, 0]);
        }

        initial (link[n - 1] at [length / 2, 0, 0]).velocity.y = 0.5 m/s;
        output tip = (link[n - 1] at [length / 2, 0, 0]).position;
    }
}
