//! Whipple's bicycle with the data of the benchmark of Meijaard, Papadopoulos, Ruina and Schwab. [meijaard, Table 1]

use hamel_macros::multibody;

multibody! {
    /// Two wheels, a frame with its rider and a fork, which roll without slipping; x points ahead, y to the right, z down.
    pub model Bicycle {
        coordinates joint(euler_zyx);
        param speed = 5 m/s;
        param lean = 0 rad;
        param steer = 0 rad;
        param lean_rate = 0 rad/s;
        param steer_rate = 0 rad/s;
        param wheel_base = 1.02 m;
        param trail = 0.08 m;
        param tilt = pi / 10 rad;                                               // of the steering axis
        param rear_radius = 0.3 m;
        param front_radius = 0.35 m;
        param frame_mass = 85 kg;
        param fork_mass = 4 kg;
        param rear_mass = 2 kg;
        param front_mass = 3 kg;
        input lean_torque N m;
        input steer_torque N m;

        gravity [0, 0, 9.81] m/s^2;
        // Frame and fork have their origins in the middle of their wheels.
        body frame {
            mass: frame_mass, center_of_mass: [0.3, 0, -0.6] m,
            inertia: [[9.2, 0, 2.4], [0, 11, 0], [2.4, 0, 2.8]] kg m^2,
        }
        body fork {
            mass: fork_mass, center_of_mass: [-0.12, 0, -0.35] m,
            inertia: [[0.05892, 0, -0.00756], [0, 0.06, 0], [-0.00756, 0, 0.00708]] kg m^2,
        }
        body rear { mass: rear_mass, inertia: diag(0.0603, 0.12, 0.0603) kg m^2 }
        body front { mass: front_mass, inertia: diag(0.1405, 0.28, 0.1405) kg m^2 }
        joint way: free(ground, frame);
        joint steering: revolute(
            frame at [wheel_base + trail, 0, rear_radius] rotated rotation_y(tilt),
            fork at [trail, 0, front_radius] rotated rotation_y(tilt),
        ) { coordinate: delta }
        joint rear_axle: revolute(frame, rear) { axis: [0, 1, 0] }
        joint front_axle: revolute(fork, front) { axis: [0, 1, 0] }
        torque push: [lean_torque, 0, 0] on frame in frame;
        torque handlebar: steer_torque on steering;

        let rear_axis = [frame.rotation[0][1], frame.rotation[1][1], frame.rotation[2][1]];
        let front_axis = [fork.rotation[0][1], fork.rotation[1][1], fork.rotation[2][1]];
        let rear_rise = sqrt(1 - rear_axis.z^2);
        let front_rise = sqrt(1 - front_axis.z^2);
        let rear_down = ([0, 0, 1] - rear_axis.z * rear_axis) / rear_rise;
        let front_down = ([0, 0, 1] - front_axis.z * front_axis) / front_rise;
        let rear_slip = rear.velocity + cross(rear.angular_velocity, rear_radius * rear_down);
        let front_slip = front.velocity + cross(front.angular_velocity, front_radius * front_down);
        constraint rear_touch: rear.position.z + rear_radius * rear_rise == 0;
        constraint front_touch: front.position.z + front_radius * front_rise == 0;
        constraint rear_along: rear_slip.x == 0 as velocity;
        constraint rear_across: rear_slip.y == 0 as velocity;
        constraint front_along: front_slip.x == 0 as velocity;
        constraint front_across: front_slip.y == 0 as velocity;

        initial frame.position.x = 0;
        initial frame.position.y = 0;
        initial frame.yaw = 0;
        initial frame.roll = lean;
        initial delta = steer;
        initial (frame.angular_velocity in frame).x = lean_rate;
        initial steering.velocity = steer_rate;
        initial rear_axle.velocity = -speed / rear_radius;
        output roll = frame.roll;
        output steering = delta;
        output lean_acceleration = (frame.angular_acceleration in frame).x;
        output steer_acceleration = delta.acceleration;
        provide linearization;
    }
}
