//! Random scenes of bodies that collide.

/// Numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Discs that fall on a rough floor, on each other and against a wall that leans, some of them on arms.
pub fn scene(seed: u64) -> String {
    let mut random = Random(seed);
    let mut within = |low: f64, high: f64| low + (high - low) * random.next();
    let is_absolute = seed.is_multiple_of(3);
    let mut text = format!(
        "model Scene {{
            planar;
            coordinates {};
            param friction = {};
            param restitution = {};
            param mass = {} kg;
            param radius = {} m;
            param lean = {} rad;
            param wind = {} N;
            gravity [0, -9.81] m/s^2;
            body wall {{ mass: 2 kg, inertia: 0.3 kg m^2 }}
            joint hinge: revolute(ground at [0.8, -0.1] m rotated lean, wall);
            {} spring: {}
            ",
        if is_absolute { "absolute" } else { "joint" },
        within(0.05, 0.7),
        within(0.0, 0.8),
        within(0.3, 3.0),
        within(0.05, 0.1),
        within(0.05, 0.4),
        within(-2.0, 2.0),
        if is_absolute { "torque" } else { "force" },
        match is_absolute {
            true => "-5 N m/rad * wall.angle - 0.1 N m s/rad * wall.angular_velocity on wall;",
            false => "torsion_spring(hinge) { stiffness: 5 N m/rad, damping: 0.1 N m s/rad }",
        },
    );
    for k in 0..3 {
        let (x, gap, vx, vy, spin) =
            (0.1 + 0.22 * f64::from(k), within(1e-3, 8e-3), within(-0.5, 0.5), within(-0.5, 0.0), within(-20.0, 20.0));
        let joint = if is_absolute { String::new() } else { format!("joint sea{k}: free(ground, disc{k});") };
        text += &format!(
            "body disc{k} {{ mass: {} * mass, inertia: 0.6 * mass * radius^2 }}
            {joint}
            force wind{k}: [wind, 0 N] on disc{k} at [0, 0.3 * radius];
            contact floor{k}: disc_on_line(disc{k}, ground) {{
                radius: radius, friction: friction, restitution: restitution, tangential_restitution: 0.1
            }}
            contact wall{k}: disc_on_line(disc{k}, wall rotated 90 deg) {{
                radius: radius, friction: friction, restitution: 0.5 * restitution
            }}
            initial disc{k}.position = [{x} m, radius + {gap} m];
            initial disc{k}.angle = 0;
            initial disc{k}.velocity = [{vx}, {vy}] m/s;
            initial disc{k}.angular_velocity = {spin} rad/s;
            output place{k} = disc{k}.position;
            ",
            within(0.5, 2.0)
        );
        if k > 0 {
            let before = k - 1;
            text += &format!(
                "contact pair{k}: disc_on_disc(disc{before}, disc{k}) {{
                    radii: [radius, radius], friction: friction, restitution: restitution
                }}
                "
            );
        }
    }
    text + "initial wall.angle = lean; initial wall.angular_velocity = 0; }"
}
