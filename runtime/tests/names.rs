//! Places of coordinates and velocities, and limits, are constants of generated types.

use hamel::Model;

hamel::multibody! {
    model Arm {
        planar;
        coordinates joint;
        body base { mass: 1 kg, inertia: 1 kg m^2 }
        body upper { mass: 1 kg, inertia: 1 kg m^2 }
        for k in 0..2 { body finger[k] { mass: 1 kg, inertia: 1 kg m^2 } }
        joint slide: free(ground, base);
        joint shoulder: revolute(base, upper) { limits: -90 deg..45 deg, effort_limit: 5 N m }
        for k in 0..2 { joint knuckle[k]: revolute(upper at [1, k] m, finger[k]) { velocity_limit: 2 rad/s } }
    }
}

#[test]
fn names_are_places() {
    let arm = Arm::default();
    let info = arm.describe();
    assert_eq!(Ok(ArmCoordinates::SHOULDER_ANGLE), info.coordinate("shoulder.angle"));
    assert_eq!(Ok(ArmVelocities::SHOULDER_ANGLE), info.velocity("shoulder.angle"));
    assert_eq!(ArmCoordinates::SHOULDER_ANGLE, 3);
}

#[test]
fn limits_are_arrays_over_all_coordinates() {
    let arm = Arm::default();
    let mut lower = [f64::NEG_INFINITY; 6];
    let mut upper = [f64::INFINITY; 6];
    let mut speed = [f64::INFINITY; 6];
    let mut effort = [f64::INFINITY; 6];
    for limits in &arm.describe().limits {
        if let Some([least, most]) = limits.range {
            (lower[limits.coordinate], upper[limits.coordinate]) = (least, most);
        }
        speed[limits.velocity] = limits.speed.unwrap_or(f64::INFINITY);
        effort[limits.velocity] = limits.effort.unwrap_or(f64::INFINITY);
    }
    assert_eq!((Arm::LOWER_LIMITS, Arm::UPPER_LIMITS), (lower, upper));
    assert_eq!((Arm::VELOCITY_LIMITS, Arm::EFFORT_LIMITS), (speed, effort));
    assert_eq!((Arm::EFFORT_LIMITS[3], Arm::VELOCITY_LIMITS[5]), (5.0, 2.0));
    assert_eq!(Arm::LOWER_LIMITS[ArmCoordinates::SHOULDER_ANGLE], -std::f64::consts::FRAC_PI_2);
}
