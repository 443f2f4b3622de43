//! Planar slider-crank with a flexible connecting rod. [rezaei, Sec. 4.2, App. C]
//!
//! The rod's section follows from its mass, density and inertia: a rectangle whose height D is such that the rod does not
//! turn more easily than the rigid one, ρ (H D³/12) l + m l²/12 = J.

formulations! {
    shared {
        planar;
        coordinates joint;
        const n = 20;
        param l1 = 0.153 m;
        param l2 = 0.306 m;
        param a = 0.05 m;
        param b = 0.025 m;
        param c = 0.001 m;
        param m1 = 0.038 kg;
        param m2 = 0.038 kg;
        param m3 = 0.076 kg;
        param j1 = 7.4e-5 kg m^2;
        param j2 = 5.9e-4 kg m^2;
        param j3 = 2.7e-6 kg m^2;
        param elasticity = 200 GPa;
        param density = 7800 kg/m^3;
        param speed = 150 rad/s;
        param restitution = 0.4;
        param friction = 0.01;
        let height = sqrt(12 * j2 / m2 - l2^2);
        let width = m2 / (density * l2 * height);
        input drive N m;

        gravity [0.0, -9.81] m/s^2;
        body crank { mass: m1, inertia: j1 }
        output slider = slider.position;
    }

    /// Beam in a frame that is tangent to its first end, 20 elements; the slider has a clearance c on each side. [rezaei, Table 1]
    pub model FlexibleSliderCrank {
        flexible rod: beam_floating_frame {
            length: l2, elements: n, E: elasticity, mass: m2, section: rectangle(width, height), frame: tangent,
        }
        output bending = rod[n].y;
    }

    /// The same in a frame whose axis goes through both ends of the rod. [rezaei, App. C.8, Fig. 32]
    pub model FlexibleSliderCrankPinned {
        flexible rod: beam_floating_frame {
            length: l2, elements: n, E: elasticity, mass: m2, section: rectangle(width, height), frame: pinned,
        }
        output frame = rod.angle;
    }

    shared {
        body slider { mass: m3, inertia: j3 }
        joint o: revolute(ground, crank at [-l1 / 2, 0.0 m]) { absolute_angle: theta1 }
        joint p: revolute(crank at [l1 / 2, 0.0 m], rod.root) { absolute_angle: theta2 }
        joint q: revolute(rod.tip, slider) { absolute_angle: theta3 }
        torque motor: drive on crank;
        // The slider's corners, seen from its centre, against the lower and the upper side of the guide.
        for (i, x, y) in [(1, -1, 1), (2, 1, 1), (3, -1, -1), (4, 1, -1)] {
            contact corner[i] {
                gap: b + c - y * (slider at [x * a, y * b]).position.y,
                slip: (slider at [x * a, y * b]).position.x,
                restitution: restitution,
                friction: friction,
            }
        }

        initial theta1.velocity = speed;
        initial theta2.velocity = -speed * l1 / l2;
        output loads = rod.section_forces;
    }
}
