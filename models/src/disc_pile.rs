//! A heap of discs between two walls, as a triangle of rows of which each lies in the hollows of the one below.
//!
//! Discs touch their neighbours of the start only: where the walls hold the lowest row, nothing leaves its place.

/// The heap as a model of this name, with so many rows.
#[macro_export]
macro_rules! disc_pile {
    ($name:ident, $rows:literal) => {
        ::hamel_macros::multibody! {
            /// All discs stand a small distance apart at first.
            pub model $name {
                planar;
                coordinates absolute;
                const rows = $rows;
                param mass = 0.1 kg;
                param radius = 0.02 m;
                param apart = 1e-4 m;
                param restitution = 0.2;
                param friction = 0.4;

                gravity [0, -9.81] m/s^2;
                for row in 0..rows {
                    for k in 0..rows - row {
                        body disc[row, k] { mass: mass, inertia: mass * radius^2 / 2 }
                        initial disc[row, k].position =
                            [(2 * k + row) * (radius + apart / 2), radius + apart + row * sqrt(3) * (radius + apart / 2)];
                    }
                    for k in 1..rows - row {
                        contact beside[row, k]: disc_on_disc(disc[row, k], disc[row, k - 1]) {
                            radii: [radius, radius], restitution: restitution, friction: friction,
                        }
                    }
                }
                for row in 1..rows {
                    for k in 0..rows - row {
                        for side in 0..2 {
                            contact on[row, k, side]: disc_on_disc(disc[row, k], disc[row - 1, k + side]) {
                                radii: [radius, radius], restitution: restitution, friction: friction,
                            }
                        }
                    }
                }
                for k in 0..rows {
                    contact floor[k]: disc_on_line(disc[0, k], ground) {
                        radius: radius, restitution: restitution, friction: friction,
                    }
                }
                marker left: ground at [-(radius + apart), 0] rotated -90 deg;
                marker right: ground at [2 * (rows - 1) * (radius + apart / 2) + radius + apart, 0] rotated 90 deg;
                contact wall[0]: disc_on_line(disc[0, 0], left) { radius: radius, restitution: restitution, friction: friction }
                contact wall[1]: disc_on_line(disc[0, rows - 1], right) {
                    radius: radius, restitution: restitution, friction: friction,
                }

                output top = disc[rows - 1, 0].position;
            }
        }
    };
}

// 190 discs with 534 contacts of 3 kernels.
disc_pile!(DiscPile, 19);
