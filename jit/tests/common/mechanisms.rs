//! Texts of mechanisms in the plane, whose coordinates stand in place of `COORDINATES`.

pub const PENDULUM: &str = "model Pendulum {
    planar;
    COORDINATES
    param mass = 1.3 kg;
    param reach = 0.7 m;
    param g = 9.81 m/s^2;
    param start = 0.8 rad;
    param speed = 1.1 rad/s;
    param drag = 0.2 N m s;
    gravity [0, -g];
    body rod { mass: mass, inertia: mass * reach^2 / 12 }
    joint hinge: revolute(ground, rod at [0 m, reach]);
    torque brake: -drag * rod.angular_velocity on rod;
    initial rod.angle = start;
    initial rod.angular_velocity = speed;
    output height = rod.position.y;
    output rate = rod.angular_velocity;
    output bearing = hinge.force;
}";

pub const SLIDER_CRANK: &str = "model SliderCrank {
    planar;
    COORDINATES
    param radius = 0.2 m;
    param length = 0.6 m;
    param mass = 0.8 kg;
    param stiffness = 40 N/m;
    param start = 0.6 rad;
    param speed = 5 rad/s;
    param torque = 0.7 N m;
    gravity [0, -9.81] m/s^2;
    body crank { mass: 1 kg, inertia: 0.01 kg m^2 }
    body rod { mass: mass, inertia: mass * length^2 / 12 }
    body block { mass: 0.5 kg, inertia: 0.001 kg m^2 }
    joint shaft: revolute(ground, crank at [-radius / 2, 0 m]);
    joint pin: revolute(crank at [radius / 2, 0 m], rod at [-length / 2, 0 m]);
    joint wrist: revolute(rod at [length / 2, 0 m], block);
    joint guide: prismatic(ground, block) { cut }
    force spring: spring(ground at [1, 0] m, block) { stiffness: stiffness }
    torque motor: torque on crank;
    initial crank.angle = start;
    initial crank.angular_velocity = speed;
    output stroke = block.position.x;
    output swing = rod.angular_velocity;
    output load = wrist.force;
    output side = guide.force;
}";
