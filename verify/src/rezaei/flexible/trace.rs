//! A motion of the mechanism as the figures of [rezaei, Secs. 4.1–4.5] show it.

use hamel::Model;
use hamel::scheme::{Scheme, StepError, Stepper};
use hamel_report::{Axis, Curve, Figure, Style};

use super::{contact, follow};

/// The mechanism at an instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) t: f64,
    /// θ₁, θ₂, rad.
    pub(super) angles: [f64; 2],
    /// ω₁, ω₂, rad/s.
    pub(super) rates: [f64; 2],
    /// Centre of the slider, m.
    pub(super) center: [f64; 2],
    /// What the contacts press on the slider in total, N: the largest since the sample before.
    pub(super) force: f64,
}

/// A motion with a name.
pub(super) struct Trace {
    pub(super) name: String,
    pub(super) samples: Vec<Sample>,
    /// Instants with an impact.
    pub(super) impacts: Vec<f64>,
    /// Of the first impact, at all corners, N s.
    pub(super) impulse: f64,
}

impl Trace {
    /// The motion of a model from its initial state, with every so manieth step as a sample.
    pub(super) fn new(
        name: impl Into<String>,
        model: &dyn Model,
        scheme: &dyn Scheme,
        times: [f64; 2],
        every: u64,
    ) -> Result<Self, StepError> {
        Self::watched(name, model, scheme, times, every, |_| ())
    }

    /// The same, and shows every step to `watch`.
    pub(super) fn watched(
        name: impl Into<String>,
        model: &dyn Model,
        scheme: &dyn Scheme,
        [dt, until]: [f64; 2],
        every: u64,
        mut watch: impl FnMut(&dyn Stepper),
    ) -> Result<Self, StepError> {
        let outputs = &model.describe().outputs;
        let place = |name: &str| outputs.iter().position(|channel| channel.name == name);
        let places = ["slider_x", "slider_y"].map(place);
        let mut values = vec![0.0; outputs.len()];
        let (mut samples, mut impacts, mut impulse) = (Vec::new(), Vec::new(), f64::NAN);
        let (mut step, mut force, mut known) = (0_u64, 0.0_f64, 0);
        follow(model, scheme, dt, until, |stepper| {
            let (state, (count, pressed)) = (stepper.state(), contact(stepper));
            if let Some(record) = stepper.contacts().filter(|_| known == 0 && count > 0) {
                impulse = record.impulses.iter().step_by(2).sum();
            }
            impacts.extend((known..count).map(|_| state.t));
            known = count;
            force = force.max(pressed);
            step += 1;
            if step.is_multiple_of(every) {
                model.outputs(state, &mut values);
                let center = places.map(|place| place.map_or(f64::NAN, |place| values[place]));
                samples.push(Sample {
                    t: state.t,
                    angles: [state.q[0], state.q[1]],
                    rates: [state.v[0], state.v[1]],
                    center,
                    force: std::mem::take(&mut force),
                });
            }
            watch(stepper);
        })?;
        Ok(Self { name: name.into(), samples, impacts, impulse })
    }

    /// The sample nearest to an instant.
    pub(super) fn at(&self, t: f64) -> Option<&Sample> {
        self.samples.iter().min_by(|a, b| (a.t - t).abs().total_cmp(&(b.t - t).abs()))
    }

    /// The largest contact force, N.
    pub(super) fn peak(&self) -> f64 {
        self.samples.iter().map(|sample| sample.force).fold(0.0, f64::max)
    }

    /// The largest difference of a quantity to another motion with the same samples, up to an instant.
    pub(super) fn difference(&self, other: &Self, until: f64, of: impl Fn(&Sample) -> f64) -> f64 {
        let pairs = self.samples.iter().zip(&other.samples).take_while(|(a, _)| a.t <= until);
        pairs.map(|(a, b)| (of(a) - of(b)).abs()).fold(0.0, f64::max)
    }

    /// A quantity over another one.
    pub(super) fn curve(&self, style: Style, point: impl Fn(&Sample) -> (f64, f64)) -> Curve {
        Curve::new(self.name.clone(), style, self.samples.iter().map(point).collect())
    }
}

/// A quantity of several motions over time.
pub(super) fn over_time(
    slug: &str,
    title: &str,
    caption: &str,
    y: Axis,
    traces: &[Trace],
    of: impl Fn(&Sample) -> f64,
) -> Figure {
    Figure {
        slug: slug.into(),
        title: title.into(),
        caption: caption.into(),
        x: Axis::linear("t", "s"),
        y,
        curves: traces.iter().map(|trace| trace.curve(Style::Line, |sample| (sample.t, of(sample)))).collect(),
        slopes: Vec::new(),
    }
}

/// The normal contact force over time.
pub(super) fn contact_force(slug: &str, place: &str, caption: &str, traces: &[Trace]) -> Figure {
    let title = format!("{place}: normal contact force, sum over the corners");
    over_time(slug, &title, caption, Axis::linear("force", "N"), traces, |sample| sample.force)
}

/// The path of the slider's centre.
pub(super) fn path(slug: &str, title: &str, caption: &str, traces: &[Trace]) -> Figure {
    Figure {
        slug: slug.into(),
        title: title.into(),
        caption: caption.into(),
        x: Axis::linear("x", "m"),
        y: Axis::linear("y", "m"),
        curves: traces
            .iter()
            .map(|trace| trace.curve(Style::Line, |sample| (sample.center[0], sample.center[1])))
            .collect(),
        slopes: Vec::new(),
    }
}
