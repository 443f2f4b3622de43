//! A Scotch yoke behind a pair of gears, and a rack on the same pinion: couplings, and a pin in a slot.

formulations! {
    shared {
        planar;
        param radius = 0.1 m;
        param reduction = 3.0;

        body pinion { mass: 0.5 kg, inertia: 1e-3 kg m^2 }
        body wheel { mass: 1.5 kg, inertia: 2e-2 kg m^2 }
        body yoke { mass: 0.8 kg, inertia: 1e-2 kg m^2 }
        body rack { mass: 0.4 kg, inertia: 1e-3 kg m^2 }
        joint shaft: revolute(ground at [0.2, 0.0] m, pinion);
        joint axle: revolute(ground, wheel);
        joint guide: prismatic(ground, yoke);
        joint rail: prismatic(ground at [0.2, 0.03] m rotated 180 deg, rack);
        joint mesh: gear(axle.angle, shaft.angle) { ratio: -reduction }
    }

    /// Coordinates of the joints; gears and slot are constraints.
    pub model ScotchYoke {
        coordinates joint;
        joint teeth: gear(shaft, rail.displacement) { ratio: 0.03 m }
    }

    /// Every body by its own coordinates.
    pub model ScotchYokeAbsolute {
        coordinates absolute;
        constraint teeth: rack.position.x == 0.2 m - 0.03 m * shaft.angle;
    }

    shared {
        joint slot: point_on_line(yoke rotated 90 deg, wheel at [radius, 0]);

        initial wheel.angle = 40 deg;
        initial pinion.angular_velocity = 30 rad/s;
        output yoke = yoke.position.x;
        output rack = rack.position.x;
    }
}
