//! The heavy top's motion from an independent computation, see the first line of the data.

use std::sync::LazyLock;

const DATA: &str = include_str!("../../../data/sherif/heavy_top_reference.csv");

/// The state of the top at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    /// Time, s.
    pub(super) t: f64,
    /// Position of the centre of mass, m.
    pub(super) position: [f64; 3],
    /// Velocity of the centre of mass, m/s.
    pub(super) velocity: [f64; 3],
    /// Euler parameters.
    pub(super) orientation: [f64; 4],
    /// Angular velocity in body axes, rad/s.
    pub(super) angular_velocity: [f64; 3],
}

/// All samples, in the order of time.
pub(super) static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| DATA.lines().filter_map(sample).collect());

/// The sample at an instant of the data.
pub(super) fn at(t: f64) -> Option<&'static Sample> {
    SAMPLES.iter().find(|sample| (sample.t - t).abs() < 1e-9)
}

/// One line of the data; none for its origin and headings.
fn sample(line: &str) -> Option<Sample> {
    let values = line.split(',').map(|value| value.parse().ok()).collect::<Option<Vec<f64>>>()?;
    let part = |from: usize| values.get(from..);
    Some(Sample {
        t: *values.first()?,
        position: *part(1)?.first_chunk()?,
        velocity: *part(4)?.first_chunk()?,
        orientation: *part(7)?.first_chunk()?,
        angular_velocity: *part(11)?.first_chunk()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_is_read() {
        assert_eq!(SAMPLES.len(), DATA.lines().count() - 2);
        assert!(SAMPLES.is_sorted_by(|a, b| a.t < b.t));
        assert!(at(1.0).is_some() && at(1.1).is_none());
    }

    #[test]
    fn samples_conserve_what_the_top_conserves() {
        for sample in SAMPLES.iter() {
            let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
            let [wx, wy, wz] = sample.angular_velocity;
            let kinetic = 0.5 * (15.0 * square(&sample.velocity) + 0.234375 * (wx * wx + wz * wz) + 0.46875 * wy * wy);
            let energy = kinetic + 15.0 * 9.81 * sample.position[2];
            assert!((energy - 5435.696790865547).abs() < 1e-9, "energy {energy} at {}", sample.t);
            assert!((square(&sample.orientation) - 1.0).abs() < 1e-14);
            assert!((square(&sample.position) - 1.0).abs() < 1e-14);
        }
    }
}
