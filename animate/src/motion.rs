//! A recorded motion, and the scene that is made of it.

use hamel::{ModelInfo, Signal, Trajectory};
use hamel_compiler::picture::{Instant, Picture};
use hamel_compiler::resolve::{BodyId, Frame, System};
use hamel_compiler::space::Space;
use thiserror::Error;

use crate::drawing::{Drawing, name};
use crate::mesh::Meshes;
use crate::pose::{Pose, Vector, add, scale, sub, unit};
use crate::samples::{Sample, samples};
use crate::scene::{Arrow, ArrowKind, Scene};
use crate::survey::Survey;
use crate::tracks::Numbers;

/// A motion that was recorded.
#[derive(Clone, Copy)]
pub struct Motion<'a> {
    /// What tells it from others, such as a value of a parameter.
    pub label: &'a str,
    /// The model; its text is read again.
    pub info: &'a ModelInfo,
    /// Parameters that are not the model's defaults: names of components, or paths, and values in SI units.
    pub parameters: &'a [(String, f64)],
    /// Inputs by name; others are zero.
    pub inputs: &'a [(String, Signal)],
    /// The recorded states of this model.
    pub trajectory: &'a Trajectory,
    /// Where the files of `shape: mesh("part.stl")` are; several motions read each once.
    pub meshes: &'a Meshes,
}

/// A motion that cannot be drawn.
#[derive(Debug, Error)]
pub enum Error {
    /// The text of the model is none.
    #[error("the text of the model cannot be read: {0}")]
    Source(String),
    /// A parameter that the model does not have.
    #[error("the model has no parameter `{0}`")]
    Parameter(String),
    /// An input that the model does not have.
    #[error("the model has no input `{0}`")]
    Input(String),
    /// A table that was not recorded of this model.
    #[error("the table was not recorded of this model: it has no column `{0}`")]
    Column(String),
    /// A table that lacks columns behind those of the coordinates.
    #[error("the table lacks columns of {0}; take one as it was recorded")]
    Columns(&'static str),
    /// Nothing was recorded.
    #[error("nothing was recorded: expected at least one row")]
    Empty,
    /// Nothing of the model is in the plane or in space.
    #[error("the model has no bodies")]
    NoBodies,
    /// The file could not be written.
    #[error("the glTF file could not be written: {0}")]
    Gltf(String),
    /// The page could not be written.
    #[error("the page could not be written: {0}")]
    Page(String),
}

/// Instants that are shown at most.
const INSTANTS: usize = 1000;
/// Numbers of all instants together, unless there are very many at one.
const NUMBERS: usize = 2_000_000;

impl Scene {
    /// Everything that is drawn of a motion, with the poses of its bodies at the instants that are shown.
    ///
    /// Poses are those of the kinematics from which the model's equations are derived. At most a thousand instants are
    /// taken from the table, fewer of models with many bodies; where steps were longer than a 400th of the motion, others
    /// are interpolated by the cubics that have the recorded coordinates and velocities.
    ///
    /// Files of meshes that cannot be read are no error: [`Scene::unread`] names them, the page says so, and their bodies
    /// are drawn by what is known of them otherwise.
    ///
    /// # Errors
    /// If parameters, inputs or table do not belong to the model, or nothing was recorded.
    ///
    /// # Examples
    /// ```
    /// use hamel::{Model, Simulation, initial_state, schemes::RungeKutta};
    /// use hamel_animate::{Meshes, Motion, Scene};
    /// use hamel_jit::Level;
    ///
    /// let text = "model Pendulum {
    ///     planar;
    ///     coordinates joint;
    ///     gravity [0, -9.81] m/s^2;
    ///     body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
    ///     joint hinge: revolute(ground, rod at [0, 0.5] m);
    ///     initial hinge.angle = 1 rad;
    /// }";
    /// let model = hamel_jit::model(text.parse()?, Level::AtOnce, None)?;
    /// let run = Simulation::new(&model, &RungeKutta).step(1e-2).until(2.0).run(initial_state(&model)?);
    /// let motion = Motion {
    ///     label: "pendulum",
    ///     info: model.describe(),
    ///     parameters: &[],
    ///     inputs: &[],
    ///     trajectory: &run.trajectory,
    ///     meshes: &Meshes::default(),
    /// };
    /// let scene = Scene::new(&motion)?;
    /// assert_eq!(scene.bodies[0].name, "rod");
    /// let page = hamel_animate::page("Pendulum", &[scene], &[])?;
    /// assert!(page.starts_with("<!DOCTYPE html>"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(motion: &Motion) -> Result<Scene, Error> {
        let wrong = |error: &dyn std::fmt::Display| Error::Source(error.to_string());
        let tokens = motion.info.source.parse().map_err(|error| wrong(&error))?;
        let (_, system) = hamel_compiler::understand(tokens).map_err(|error| wrong(&error))?;
        if system.bodies.is_empty() {
            return Err(Error::NoBodies);
        }
        let frames: Vec<Frame> = (0..system.bodies.len())
            .map(|body| Frame { body: Some(BodyId(body)), position: None, rotation: None })
            .collect();
        let survey = Survey::new(&system, &frames);
        let picture = Picture::new(&system, survey.asked());
        let parameters = picture.parameters(motion.parameters).map_err(|unknown| Error::Parameter(unknown.0))?;
        check(motion)?;
        Builder { motion, system: &system, survey: &survey, picture: &picture, parameters }.scene()
    }
}

/// Whether table and inputs belong to the model.
fn check(motion: &Motion) -> Result<(), Error> {
    let known = motion.trajectory.columns();
    let expected = motion.info.coordinates.iter().enumerate();
    for (index, channel) in expected {
        if known.get(1 + index).is_none_or(|column| column.name != channel.name) {
            return Err(Error::Column(channel.name.clone()));
        }
    }
    // Velocities, accelerations and multipliers follow.
    let rest = known.len().saturating_sub(1 + motion.info.coordinates.len());
    let needed = 2 * motion.info.velocities.len() + motion.info.constraints.len();
    if rest < needed {
        let missing =
            ["velocities", "accelerations", "multipliers"][(rest / motion.info.velocities.len().max(1)).min(2)];
        return Err(Error::Columns(missing));
    }
    let is_known = |name: &String| motion.info.inputs.iter().any(|channel| channel.name == *name);
    match motion.inputs.iter().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => Err(Error::Input(name.clone())),
        None => Ok(()),
    }
}

/// The columns of a contact's forces: normal, then friction.
struct ContactColumns {
    contact: usize,
    columns: Vec<usize>,
}

struct Builder<'a> {
    motion: &'a Motion<'a>,
    system: &'a System,
    survey: &'a Survey<'a>,
    picture: &'a Picture,
    parameters: Vec<f64>,
}

/// An arrow over time.
struct Series {
    arrow: Arrow,
    values: Vec<[Vector; 2]>,
}

impl Builder<'_> {
    fn scene(&self) -> Result<Scene, Error> {
        let Builder { motion, system, survey, .. } = self;
        let planar = system.space == Space::Planar;
        let movers = survey.movers();
        let contacts = self.contacts();
        let forces = survey.forces().iter().flatten().count() + 2 * survey.loads().iter().flatten().count();
        let per_instant = movers * if planar { 3 } else { 7 } + 6 * (contacts.len() + forces);
        let at_most = (NUMBERS / per_instant.max(1)).clamp(60, INSTANTS);
        let sizes = (motion.info.coordinates.len(), motion.info.velocities.len());
        let samples = samples(motion.trajectory, &motion.info.blocks, sizes, at_most);
        if samples.is_empty() {
            return Err(Error::Empty);
        }
        let rows: Vec<&[f64]> = motion.trajectory.rows().collect();
        let signals: Vec<Signal> = motion.info.inputs.iter().map(|channel| self.signal(&channel.name)).collect();

        let first = 1 + sizes.0 + sizes.1;
        let (accelerations, constraints) = (first..first + sizes.1, motion.info.constraints.len());
        let multipliers = accelerations.end..accelerations.end + constraints;
        let mut values = self.picture.with(&self.parameters);
        let (mut times, mut poses) = (Numbers::default(), Numbers::default());
        let mut drawing: Option<Drawing> = None;
        let mut series: Vec<Series> = Vec::new();
        let mut before: Vec<f64> = Vec::new();
        for sample in &samples {
            let inputs: Vec<f64> = signals.iter().map(|signal| signal.value(sample.t)).collect();
            let column = |column: usize| sample.column(&rows, column);
            let a: Vec<f64> = accelerations.clone().map(column).collect();
            let lambda: Vec<f64> = multipliers.clone().map(column).collect();
            let Sample { t, q, v, .. } = sample;
            let found = values.at(&Instant { t: *t, inputs: &inputs, q, v, a: &a, lambda: &lambda });
            let at = |index: usize| &found[self.picture.span(index)];
            let own: Vec<Pose> = survey.mover_places().map(|index| Pose::from_values(at(index))).collect();
            times.extend([sample.t]);
            self.extend_poses(&mut poses, &mut before, &own, planar);
            let drawing = drawing.get_or_insert_with(|| Drawing::new(system, survey, motion.meshes, &at));
            drawing.pass(&own);
            self.extend_series(&mut series, &contacts, sample, &rows, &at);
        }
        let Some(drawing) = drawing else { return Err(Error::Empty) };
        let series: Vec<Series> =
            series.into_iter().filter(|one| one.values.iter().any(|[_, v]| *v != [0.0; 3])).collect();
        let mut vectors = Numbers::default();
        for instant in 0..samples.len() {
            vectors.extend(series.iter().flat_map(|one| one.values[instant].into_iter().flatten()));
        }
        let arrows = series.into_iter().map(|one| one.arrow).collect();
        Ok(Scene {
            label: motion.label.to_owned(),
            planar,
            up: drawing.up(),
            times,
            movers,
            poses,
            vectors,
            arrows,
            meshes: drawing.meshes(),
            unread: drawing.unread(),
            bodies: drawing.bodies(),
            fixed: drawing.fixed(),
            joints: drawing.joints(),
            links: drawing.links(),
            beams: drawing.beams(),
            points: drawing.points(),
            water: drawing.water(),
        })
    }

    fn signal(&self, name: &str) -> Signal {
        let given = self.motion.inputs.iter().find(|(known, _)| known == name);
        given.map(|(_, signal)| signal.clone()).unwrap_or_default()
    }

    /// The contacts that ever push, if forces were recorded.
    fn contacts(&self) -> Vec<ContactColumns> {
        let trajectory = self.motion.trajectory;
        let mut found = Vec::new();
        for (contact, info) in self.motion.info.contacts.iter().enumerate() {
            let friction: Vec<String> = match info.tangents {
                0 => Vec::new(),
                1 => vec![format!("friction({})", info.name)],
                n => (1..=n).map(|k| format!("friction_{k}({})", info.name)).collect(),
            };
            let names = std::iter::once(format!("normal_force({})", info.name)).chain(friction);
            let columns: Result<Vec<usize>, _> = names.map(|name| trajectory.place(&name)).collect();
            let Ok(columns) = columns else { continue };
            if trajectory.rows().any(|row| row[columns[0]] != 0.0) {
                found.push(ContactColumns { contact, columns });
            }
        }
        found
    }

    /// Poses of one instant; angles and Euler parameters change as little as possible from one instant to the next.
    fn extend_poses(&self, poses: &mut Numbers, before: &mut Vec<f64>, own: &[Pose], planar: bool) {
        let mut now = Vec::with_capacity(own.len() * 7);
        for (mover, pose) in own.iter().enumerate() {
            if planar {
                let turn = 2.0 * std::f64::consts::PI;
                let known = before.get(3 * mover + 2).copied().unwrap_or(0.0);
                let angle = pose.angle();
                now.extend([pose.position[0], pose.position[1], angle + turn * ((known - angle) / turn).round()]);
            } else {
                let quaternion = pose.quaternion().0;
                let known = before.get(7 * mover + 3..7 * mover + 7).unwrap_or(&[1.0, 0.0, 0.0, 0.0]);
                let side = if known.iter().zip(quaternion).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
                now.extend(pose.position.into_iter().chain(quaternion.map(|part| side * part)));
            }
        }
        poses.extend(now.iter().copied());
        *before = now;
    }

    fn extend_series<'v>(
        &self,
        series: &mut Vec<Series>,
        contacts: &[ContactColumns],
        sample: &Sample,
        rows: &[&[f64]],
        at: &dyn Fn(usize) -> &'v [f64],
    ) {
        let mut place = 0;
        let mut add_arrow = |name: &str, kind: ArrowKind, point: Vector, vector: Vector| {
            if place == series.len() {
                series.push(Series { arrow: Arrow { name: name.to_owned(), kind }, values: Vec::new() });
            }
            series[place].values.push([point, vector]);
            place += 1;
        };
        for (force, index) in self.system.forces.iter().zip(self.survey.forces()) {
            let Some(index) = *index else { continue };
            let name = name(&force.name);
            for (end, values) in at(index).chunks_exact(9).enumerate() {
                if force.frames.get(end).is_some_and(|frame| frame.body.is_none()) {
                    continue;
                }
                let part = |k: usize| [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
                add_arrow(&name, ArrowKind::Force, part(0), part(1));
                add_arrow(&name, ArrowKind::Torque, part(0), part(2));
            }
        }
        for ContactColumns { contact, columns } in contacts {
            let size = 3 * (1 + columns.len());
            let name = &self.motion.info.contacts[*contact].name;
            for values in at(self.survey.contacts()[*contact]).chunks_exact(size) {
                let part = |k: usize| [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
                let mut vector = [0.0; 3];
                for (row, column) in columns.iter().enumerate() {
                    vector = add(vector, scale(sample.column(rows, *column), part(1 + row)));
                }
                add_arrow(name, ArrowKind::Contact, part(0), vector);
            }
        }
        for (joint, index) in self.system.joints.iter().zip(self.survey.loads()) {
            let Some(values) = index.map(at) else { continue };
            let part = |k: usize| [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
            let name = name(&joint.name);
            add_arrow(&name, ArrowKind::Load, part(0), part(1));
            add_arrow(&name, ArrowKind::Moment, part(0), part(2));
        }
    }
}

/// Direction against gravity; z, or y in the plane, where there is none.
pub(crate) fn up(planar: bool, gravity: Option<&[f64]>) -> Vector {
    let usual = if planar { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
    match gravity {
        Some(&[x, y, z]) if !planar => unit(sub([0.0; 3], [x, y, z])).unwrap_or(usual),
        _ => usual,
    }
}
