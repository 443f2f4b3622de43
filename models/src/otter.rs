//! A small unmanned surface vehicle, as the public data of the Otter describe it, with linear damping and restoring.

use hamel_macros::multibody;

multibody! {
    /// The 12 states of [ship]: position and angles (φ, θ, ψ), velocities (u, v, w, p, q, r) in the axes of the hull; z
    /// downwards. [MSS, otter.m]
    pub model Otter {
        coordinates joint(euler_zyx);
        param mass = 80 kg;
        param center_of_mass = [0.1375, 0, -0.1375] m;
        param inertia = [[10.95182, 0, 0.6875], [0, 15.125, 0], [0.6875, 0, 14.4375]] kg m^2;
        param added_mass = diag(5.2815210095764, 82.5, 55) kg;
        param added_inertia = diag(2.190364, 12.1, 24.54375) kg m^2;
        param linear_damping = diag(77.55, 80, 300) N s/m;
        param angular_damping = diag(60, 140, 45) N m s;
        param heave_stiffness = 7600 N/m;
        param roll_stiffness = 1500 N m;
        param pitch_stiffness = 2100 N m;
        input surge N;
        input sway N;
        input heave N;
        input roll N m;
        input pitch N m;
        input yaw N m;

        body hull {
            mass: mass, inertia: inertia, center_of_mass: center_of_mass,
            added_mass: { force: added_mass, moment: added_inertia },
        }
        joint sea: free(ground, hull);

        force thrust: [surge, sway, heave] on hull in hull;
        torque rudder: [roll, pitch, yaw] on hull in hull;
        force drag: -linear_damping * (hull.velocity in hull) on hull in hull;
        torque swirl: -angular_damping * (hull.angular_velocity in hull) on hull in hull;
        force buoyancy: [0 N, 0 N, -heave_stiffness * hull.position.z] on hull in hull;
        torque righting: [-roll_stiffness * hull.roll, -pitch_stiffness * hull.pitch, 0 N m] on hull in hull;

        initial hull.velocity = [1.5, 0.3, -0.1] m/s in hull;
        initial hull.angular_velocity = [0.2, -0.15, 0.25] rad/s in hull;
        output angles = [hull.roll, hull.pitch, hull.yaw];
    }
}
