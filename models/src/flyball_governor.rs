//! IFToMM A05: a flyball governor whose rods lean on its slider through very stiff springs with dampers.
//! [iftomm, A05]

formulations! {
    shared {
        param density = 3000 kg/m^3;
        param length = 1 m;                                                     // of the shaft and of the rods
        param width = 0.01 m;                                                   // of their square sections
        param slider_width = 0.1 m;                                             // of the cube
        param ball_mass = 5 kg;                                                 // a point at the end of each rod
        param stiffness = 8e5 N/m;
        param damping = 4e4 N s/m;
        param free_length = 0.5 m;
        param gravity_acceleration = 9.81 m/s^2;
        param start_angle = 30 deg;                                             // of the rods, below the horizontal
        param start_height = 0.5 m;                                             // of the slider
        param start_rate = 1 Hz;                                                // of the shaft, turns a second

        // A rod with its ball: their common centre of mass, from the hinge.
        param rod_mass = density * length * width^2;
        param mass = rod_mass + ball_mass;
        param center = (rod_mass * length / 2 + ball_mass * length) / mass;
        param axial = rod_mass * width^2 / 6;
        param transverse = rod_mass * (length^2 + width^2) / 12 + rod_mass * (center - length / 2)^2
            + ball_mass * (length - center)^2;
        param slider_mass = density * slider_width^3;
        param slider_inertia = slider_mass * slider_width^2 / 6;

        gravity [0, 0, -gravity_acceleration];
        body shaft {
            mass: rod_mass, center_of_mass: [0, 0, length / 2],
            inertia: diag(rod_mass * (length^2 + width^2) / 12, rod_mass * (length^2 + width^2) / 12, axial),
        }
        body slider { mass: slider_mass, inertia: diag(slider_inertia, slider_inertia, slider_inertia) }
        body right { mass: mass, center_of_mass: [center, 0, 0], inertia: diag(axial, transverse, transverse) }
        body left { mass: mass, center_of_mass: [-center, 0, 0], inertia: diag(axial, transverse, transverse) }
        output height = slider.position.z;
        output slider_velocity = slider.velocity.z;
        output shaft_rate = shaft.angular_velocity.z;
        output ball = (right at [length, 0, 0]).position;
    }

    /// By the angle of the shaft, the height of the slider and the angles of both rods: nothing is left to constrain.
    pub model FlyballGovernor {
        coordinates joint;
        joint bearing: revolute(ground, shaft) { coordinate: turn }
        joint guide: prismatic(shaft, slider) { coordinate: height }
        // About −y on the left, so that both angles are positive below the horizontal.
        joint right_hinge: revolute(shaft at [slider_width / 2, 0, length], right) { axis: [0, 1, 0], coordinate: right_angle }
        joint left_hinge: revolute(shaft at [-slider_width / 2, 0, length], left) { axis: [0, -1, 0], coordinate: left_angle }
        initial height = start_height;
        initial right_angle = start_angle;
        initial left_angle = start_angle;
        initial bearing.velocity = 2 * pi * start_rate;
        output shaft_angle = turn;
        output rod_angle = right_angle;
        output rod_rate = right_hinge.velocity;
    }

    /// All four joints are constraints.
    pub model FlyballGovernorAbsolute {
        coordinates absolute;
        joint bearing: revolute(ground, shaft);
        joint guide: prismatic(shaft, slider);
        joint right_hinge: revolute(shaft at [slider_width / 2, 0, length], right) { axis: [0, 1, 0] }
        joint left_hinge: revolute(shaft at [-slider_width / 2, 0, length], left) { axis: [0, -1, 0] }
        initial slider.position.z = start_height;
        initial (right at [length, 0, 0]).position.z = length * (1 - sin(start_angle));
        initial (left at [-length, 0, 0]).position.z = length * (1 - sin(start_angle));
        initial shaft.angular_velocity = [0, 0, 2 * pi * start_rate];
        initial slider.velocity.z = 0;
        initial right.angular_velocity.y = 0;
        initial left.angular_velocity.y = 0;
    }

    shared {
        force right_spring: spring_damper(right at [length / 2, 0, 0], slider at [slider_width / 2, 0, 0]) {
            stiffness: stiffness, damping: damping, free_length: free_length
        }
        force left_spring: spring_damper(left at [-length / 2, 0, 0], slider at [-slider_width / 2, 0, 0]) {
            stiffness: stiffness, damping: damping, free_length: free_length
        }
    }
}
