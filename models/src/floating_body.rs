//! A moored ship of 200 m with hydrodynamic coefficients of a panel method, and a body whose water remembers.

use hamel_macros::multibody;

multibody! {
    /// A floating production ship with added mass at infinite frequency, z upwards, and a soft mooring.
    pub model MooredShip {
        coordinates absolute(euler_zyx);
        param forces = [4e6, 3e6, 6e7] N;
        param moments = [4e8, 4e9, 6e8] N m;

        body hull {
            mass: 100410025 kg, center_of_mass: [0.788631, 0, -1] m,
            inertia: diag(26677939542.25, 292795632900, 292795632900) kg m^2 about origin,
            added_mass: {
                force: [[3044906, 0, 2313250.2375], [0, 21239681, 0], [2313250.2375, 0, 172828222.5]] kg,
                coupling: [[0, 335434735, 0], [23377385.125, 0, 34801983.875], [0, -35148418.5, 0]] kg m,
                moment: [[9516484375, 0, 223405873.75], [0, 391536777500, 0], [223405873.75, 0, 54616879000]] kg m^2,
            },
        }
        let v = (hull.velocity in hull);
        let w = (hull.angular_velocity in hull);
        force drag: [-2e5 N s/m * v.x, -6e5 N s/m * v.y, -6e7 N s/m * v.z] on hull in hull;
        torque swirl: [-6e8 N m s * w.x, -45e9 N m s * w.y, -5e9 N m s * w.z] on hull in hull;
        force restoring: [
            -4e5 N/m * hull.position.x, -4e5 N/m * hull.position.y,
            -83626497.675 N/m * hull.position.z - 78054883.65 N * hull.pitch,
        ] on hull in hull;
        torque righting: [
            -7834749142.5 N m * hull.roll, -78054883.65 N * hull.position.z - 247660807500 N m * hull.pitch,
            -2e9 N m * hull.yaw,
        ] on hull in hull;
        let slow = 0.45 rad/s * time;
        let middle = 0.5 rad/s * time;
        force waves: [forces.x * sin(slow), forces.y * sin(slow + 0.4), forces.z * sin(middle)] on hull in hull;
        torque rolling: [moments.x * sin(0.52 rad/s * time), moments.y * cos(middle), moments.z * sin(slow)] on hull in hull;
        output angles = [hull.roll, hull.pitch, hull.yaw];
    }
}

multibody! {
    /// A barge in a current, with low-frequency velocities in its added mass [simo, Eq. 16] and heave that radiates waves.
    pub model FloatingBody {
        coordinates absolute(euler_zyx);
        param mass = 2e6 kg;
        param center_of_mass = [0.5, 0, -0.4] m;
        param inertia = diag(4e7, 2e8, 2.1e8) kg m^2;
        param current = [0.8, 0.3, 0] m/s;
        param period = 30 s;
        param waterplane = 1.2e7 N/m;
        param memory = 8e5 N/m;
        param decay = 0.3 rad/s;
        param swing = 0.7 rad/s;

        body hull {
            mass: mass, inertia: inertia, center_of_mass: center_of_mass,
            added_mass: {
                force: diag(2e5, 1.1e6, 2.4e6) kg,
                coupling: [[0, -3e5, 0], [4e5, 0, 2e5], [0, -6e5, 0]] kg m,
                moment: diag(1.5e7, 1.3e8, 6e7) kg m^2,
                current: current, velocity: low_frequency,
                low_frequency_velocity: [slow[0], slow[1], slow[2]], low_frequency_yaw_rate: slow_yaw,
            },
        }
        for k in 0..3 { state slow[k] m/s: (hull.velocity[k] - slow[k]) / period; }
        state slow_yaw rad/s: ((hull.angular_velocity in hull).z - slow_yaw) / period;
        state radiation N: memory * hull.velocity.z - decay * radiation - swing * echo;
        state echo N: swing * radiation - decay * echo;

        let v = (hull.velocity - current in hull);
        force drag: -[6e3 N s^2/m^2 * abs(v.x) * v.x, 5e4 N s^2/m^2 * abs(v.y) * v.y, 0 N] on hull in hull;
        force waves: [0 N, 0 N, -radiation] on hull;
        force buoyancy: [0 N, 0 N, -waterplane * hull.position.z] on hull;
        torque righting: [-3e7 N m * hull.roll, -4e8 N m * hull.pitch, 0 N m] on hull in hull;

        initial hull.position = [0, 0, 0.5] m;
        initial hull.velocity = [1, 0, 0] m/s;
        initial hull.angular_velocity = [0, 0, 0.02] rad/s;
        output angles = [hull.roll, hull.pitch, hull.yaw];
        output heave = hull.position.z;
        output energy = model.kinetic_energy;
    }
}
