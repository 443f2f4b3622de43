//! A flexible beam that swings about its first end. [rezaei, App. C]

formulations! {
    shared {
        planar;
        coordinates joint;
        param length = 1 m;
        param width = 0.01 m;
        param height = 0.02 m;
        param elasticity = 5 MPa;
        param density = 1000 kg/m^3;
        param tip_mass = 0.1 kg;

        gravity [0.0, -9.81] m/s^2;
    }

    /// In a frame that is tangent to the first end.
    pub model FlexiblePendulum {
        flexible beam: beam_floating_frame {
            length: length, elements: 4, E: elasticity, density: density, section: rectangle(width, height),
        }
    }

    /// In a frame that goes through both ends.
    pub model FlexiblePendulumPinned {
        flexible beam: beam_floating_frame {
            length: length, elements: 4, E: elasticity, density: density, section: rectangle(width, height),
            frame: pinned,
        }
    }

    shared {
        body bob { mass: tip_mass, inertia: 1e-4 kg m^2 }
        joint hinge: revolute(ground, beam.root) { coordinate: swing }
        joint clamp: fixed(beam.tip, bob);
        initial swing.velocity = 1 rad/s;
        output tip = bob.position;
        output swing = beam.root.angle;
    }
}
