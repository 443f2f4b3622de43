//! A heap of balls between four walls, as a pyramid of layers of which each lies in the hollows of the one below.

/// The heap as a model of this name, with so many layers.
#[macro_export]
macro_rules! ball_pile {
    ($name:ident, $rows:literal) => {
        ::hamel_macros::multibody! {
            /// Layers of balls between four walls, each in the hollows of the one below.
            pub model $name {
                coordinates absolute;
                const rows = $rows;
                param mass = 0.1 kg;
                param radius = 0.02 m;
                param apart = 1e-4 m;
                param restitution = 0.2;
                param friction = 0.4;

                gravity [0, 0, -9.81] m/s^2;
                for row in 0..rows {
                    for j in 0..rows - row {
                        for k in 0..rows - row {
                            body ball[row, j, k] { mass: mass, inertia: diag(0.4, 0.4, 0.4) * mass * radius^2 }
                            initial ball[row, j, k].position = [
                                (2 * j + row) * (radius + apart / 2), (2 * k + row) * (radius + apart / 2),
                                radius + apart + row * sqrt(2) * (radius + apart / 2),
                            ];
                            initial ball[row, j, k].velocity = [0, 0, 0];
                            initial ball[row, j, k].angular_velocity = [0, 0, 0];
                        }
                    }
                    for j in 0..rows - row {
                        for k in 1..rows - row {
                            contact beside[row, j, k]: ball_on_ball(ball[row, j, k], ball[row, j, k - 1]) {
                                radii: [radius, radius], restitution: restitution, friction: friction,
                            }
                            contact before[row, j, k]: ball_on_ball(ball[row, k, j], ball[row, k - 1, j]) {
                                radii: [radius, radius], restitution: restitution, friction: friction,
                            }
                        }
                    }
                }
                for row in 1..rows {
                    for j in 0..rows - row {
                        for k in 0..rows - row {
                            for l in 0..2 {
                                for m in 0..2 {
                                    contact on[row, j, k, l, m]: ball_on_ball(ball[row, j, k], ball[row - 1, j + l, k + m]) {
                                        radii: [radius, radius], restitution: restitution, friction: friction,
                                    }
                                }
                            }
                        }
                    }
                }
                for j in 0..rows {
                    for k in 0..rows {
                        contact floor[j, k]: ball_on_plane(ball[0, j, k], ground) {
                            radius: radius, restitution: restitution, friction: friction,
                        }
                    }
                    contact west[j] { gap: ball[0, 0, j].position.x + apart }
                    contact east[j] { gap: (2 * rows - 2) * (radius + apart / 2) + apart - ball[0, rows - 1, j].position.x }
                    contact south[j] { gap: ball[0, j, 0].position.y + apart }
                    contact north[j] { gap: (2 * rows - 2) * (radius + apart / 2) + apart - ball[0, j, rows - 1].position.y }
                }
            }
        }
    };
}
