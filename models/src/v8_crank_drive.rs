//! V8 crank drive of 17 rigid bodies: crankshaft, eight connecting rods, eight pistons. [sherif, Figs. 6-10]
//!
//! The source prints the numbers of bodies, coordinates and constraints and nothing else of its data: joints, geometry,
//! masses and torque are ours.
//! 118 constraints of 119 coordinates leave one degree of freedom only if norms of Euler parameters are counted and no
//! joint repeats another: 5 + 8 (4 + 4 + 4) + 17. A revolute joint at the big end with a spherical one at the piston
//! gives the same number and is redundant, while the piston may spin.

use hamel_macros::multibody;

multibody! {
    /// V8 crank drive, run up from rest by a torque on its crankshaft.
    ///
    /// The crankshaft turns about x. At no angle the first throw is along y; cylinders stand at `bank` from y to z.
    pub model V8CrankDrive {
        coordinates absolute(euler_parameters);
        const banks = 2;
        const throws = 4;
        param throw = 40 mm;
        param throw_angle = [0, 90, 270, 180] deg;
        param throw_position = [-150, -50, 50, 150] mm;
        param bank = [135, 45] deg;
        param bank_offset = [-11, 11] mm;
        param rod_length = 150 mm;
        param rod_center = 45 mm;                                               // from the big end
        param crankshaft_mass = 22.0 kg;
        param crankshaft_inertia = diag(0.2, 0.45, 0.45) kg m^2;
        param rod_mass = 0.55 kg;
        param rod_inertia = diag(1.8e-3, 1.8e-3, 2e-4) kg m^2;                  // x along the pin, z along the rod
        param piston_mass = 0.45 kg;
        param piston_inertia = diag(4e-4, 4e-4, 3.6e-4) kg m^2;                 // x along the pin, z along the cylinder
        param final_torque = 10.0 N m;
        param rise_time = 1.0 s;

        let rise = min(time / rise_time, 1);
        let torque = final_torque * rise^3 * (10 - 15 * rise + 6 * rise^2);

        body crankshaft { mass: crankshaft_mass, inertia: crankshaft_inertia }
        joint bearing: revolute(ground, crankshaft) { axis: [1, 0, 0] }
        torque drive: [torque, 0, 0] on crankshaft;
        for b in 0..banks {
            for k in 0..throws {
                body rod[b, k] { mass: rod_mass, inertia: rod_inertia }
                body piston[b, k] { mass: piston_mass, inertia: piston_inertia }
                joint big_end[b, k]: cylindrical(
                    crankshaft at [throw_position[k], throw * cos(throw_angle[k]), throw * sin(throw_angle[k])],
                    rod[b, k] at [0, 0, -rod_center],
                ) { axis: [1, 0, 0] }
                joint pin[b, k]: universal(rod[b, k] at [0, 0, rod_length - rod_center], piston[b, k]);
                joint bore[b, k]: cylindrical(
                    ground at [throw_position[k] + bank_offset[b], 0, 0] rotated rotation_x(bank[b] - 90 deg),
                    piston[b, k],
                );
            }
        }

        initial (crankshaft at [0, throw, 0]).position.z = 0;
        output torque = torque;
        output omega = crankshaft.angular_velocity.x;
    }
}
