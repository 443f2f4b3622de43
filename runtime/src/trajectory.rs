//! A table of the states of a motion.

mod csv;
mod titles;

use alloc::collections::BTreeSet;

use thiserror::Error;

use crate::known::Known;
use crate::model::{ContactInfo, Model, State};
use crate::prelude::*;
use crate::residuals::Residuals;
use crate::scheme::Stepper;
use crate::spelling::{similar, suggestion};
use crate::step::ContactRecord;

pub use csv::CsvError;
pub use titles::{is_same_unit, name_and_unit};

/// The column of the balance of energy.
const BALANCE: &str = "energy_balance";
/// Name and unit of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Column {
    /// Name: of the coordinate, quasi-velocity or output; `velocity(x)`, `acceleration(x)`, `multiplier(x)` for those
    /// of x.
    pub name: String,
    /// SI unit, `1` when dimensionless.
    pub unit: String,
}

/// A table has no column of this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no column `{name}`{}", suggestion(.similar))]
pub struct UnknownColumn {
    /// The unknown name.
    pub name: String,
    /// Names of columns that are similar, the nearest first.
    pub similar: Vec<String>,
}

/// Columns of a contact: gap, forces, and the sum of the normal impulses of all impacts so far.
fn contact_columns(contact: &ContactInfo) -> Vec<Column> {
    let force = multiplier_unit(&contact.unit, "J");
    let impulse = format!("{force} s");
    let column =
        |quantity: &str, unit: &str| Column { name: format!("{quantity}({})", contact.name), unit: unit.to_owned() };
    let mut columns = vec![column("gap", &contact.unit), column("normal_force", &force)];
    // A force of friction acts on a relative velocity in m/s, whatever the unit of the gap.
    match contact.tangents {
        0 => {}
        1 => columns.push(column("friction", "N")),
        n => columns.extend((1..=n).map(|k| column(&format!("friction_{k}"), "N"))),
    }
    columns.push(column("impulse", &impulse));
    columns
}

/// A table of recorded states: time, coordinates, velocities, accelerations, multipliers, contacts, outputs, energies.
///
/// The columns of a contact x are `gap(x)`, `normal_force(x)`, `friction(x)` (`friction_1(x)` and `friction_2(x)` in
/// space) and `impulse(x)`, the sum of its normal impulses so far. Those of all contacts together are the number of
/// `impacts`, the energy `impact_loss` that they have dissipated, `contact_violation`, the largest violation of the
/// laws of contact as a relative velocity, and `penetration`, the largest penetration so far in the unit of the gaps.
/// Models with constraints have `position_residual` and `velocity_residual`, the largest of g and of ġ, those of
/// lengths relative to the length of the model. `energy_balance` is the energy minus that at the start and minus the
/// work of forces, drives and contacts, which is the energy that the scheme has added; NaN if the power of the forces is
/// not known, see [`Model::power`]. The work is found by Simpson's rule from interpolated states halfway through the steps,
/// with contacts by the trapezoidal rule.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "crate::serialised::Table"))]
pub struct Trajectory {
    columns: Vec<Column>,
    /// Row after row.
    values: Vec<f64>,
}

impl Trajectory {
    /// An empty table for a model.
    ///
    /// # Examples
    /// A mass of 1 kg on a spring of 4 N/m, at rest at 1 m.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = Oscillator::default();
    /// let mut table = hamel::Trajectory::new(&model);
    /// table.record(&model, &hamel::initial_state(&model)?);
    /// assert_eq!(table.len(), 1);
    /// assert_eq!(table.column("potential_energy")?.next(), Some(0.5 * 4.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(model: &dyn Model) -> Self {
        let info = model.describe();
        let column = |name: &str, unit: &str| Column { name: name.to_owned(), unit: unit.to_owned() };
        let mut columns = vec![column("t", "s")];
        columns.extend(info.coordinates.iter().map(|c| column(&c.name, &c.unit)));
        let coordinates: BTreeSet<&str> = info.coordinates.iter().map(|coordinate| coordinate.name.as_str()).collect();
        columns.extend(info.velocities.iter().map(|c| {
            // A velocity that is the rate of a coordinate has its name; others have one of their own.
            let name =
                if coordinates.contains(c.name.as_str()) { format!("velocity({})", c.name) } else { c.name.to_owned() };
            Column { name, unit: c.unit.to_owned() }
        }));
        columns.extend(info.velocities.iter().map(|c| {
            let unit = if c.unit.ends_with("/s") { format!("{}^2", c.unit) } else { format!("{}/s", c.unit) };
            Column { name: format!("acceleration({})", c.name), unit }
        }));
        let n_positions = info.constraints.len() - info.velocity_constraints;
        columns.extend(info.constraints.iter().enumerate().map(|(i, c)| Column {
            name: format!("multiplier({})", c.name),
            unit: multiplier_unit(&c.unit, if i < n_positions { "J" } else { "W" }),
        }));
        columns.extend(info.contacts.iter().flat_map(contact_columns));
        if !info.contacts.is_empty() {
            columns.extend([column("impacts", "1"), column("impact_loss", "J"), column("contact_violation", "m/s")]);
            let unit = &info.contacts[0].unit;
            let is_common = info.contacts.iter().all(|contact| contact.unit == *unit);
            columns.push(column("penetration", if is_common { unit } else { "m or rad" }));
        }
        if !info.constraints.is_empty() {
            columns.extend([column("position_residual", "1"), column("velocity_residual", "1/s")]);
        }
        columns.push(column(BALANCE, "J"));
        columns.extend(info.outputs.iter().map(|c| column(&c.name, &c.unit)));
        columns.extend([column("kinetic_energy", "J"), column("potential_energy", "J")]);
        Self { columns, values: Vec::new() }
    }

    /// A table of at least one column and of whole rows.
    #[cfg(feature = "serde")]
    pub(crate) fn from_parts(columns: Vec<Column>, values: Vec<f64>) -> Self {
        Self { columns, values }
    }

    /// Appends a state of the model for which the table was created. Forces of contacts are zero and the energy balance
    /// is NaN, because only a run determines them.
    pub fn record(&mut self, model: &dyn Model, state: &State) {
        self.record_with(model, state, None, &mut Residuals::new(model, state), None, &mut Known::default());
    }

    /// Appends the state of a stepper of the model for which the table was created, with forces and impulses of
    /// contacts.
    ///
    /// # Examples
    /// In a program that calls a stepper directly:
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Scheme, Trajectory};
    ///
    /// let model = Oscillator::default();
    /// let mut stepper = RungeKutta.start(&model, hamel::initial_state(&model)?)?;
    /// let mut table = Trajectory::new(&model);
    /// for _ in 0..10 {
    ///     stepper.step(0.01)?;
    ///     table.record_step(&model, &*stepper);
    /// }
    /// let energies = table.column("kinetic_energy")?.zip(table.column("potential_energy")?);
    /// assert!(energies.into_iter().all(|(kinetic, potential)| (kinetic + potential - 2.0).abs() < 1e-8));
    /// # Ok(())
    /// # }
    /// ```
    pub fn record_step(&mut self, model: &dyn Model, stepper: &dyn Stepper) {
        let state = stepper.state();
        let residuals = &mut Residuals::new(model, state);
        self.record_with(model, state, stepper.contacts(), residuals, None, &mut Known::default());
    }

    /// Appends a state with these forces and impulses of contacts, such as those of
    /// [`Phases`](crate::nonsmooth::Phases::record).
    pub fn record_with_contacts(&mut self, model: &dyn Model, state: &State, contacts: &ContactRecord) {
        let residuals = &mut Residuals::new(model, state);
        self.record_with(model, state, Some(contacts), residuals, None, &mut Known::default());
    }

    pub(crate) fn record_with(
        &mut self,
        model: &dyn Model,
        state: &State,
        contacts: Option<&ContactRecord>,
        residuals: &mut Residuals,
        balance: Option<f64>,
        known: &mut Known,
    ) {
        self.values.push(state.t);
        for part in [&state.q, &state.v, &state.a, &state.lambda] {
            self.values.extend_from_slice(part.as_slice());
        }
        self.record_contacts(model, state, contacts);
        if !model.describe().constraints.is_empty() {
            residuals.evaluate_positions(model, state, known);
            residuals.evaluate_velocities(model, state, known);
            self.values.extend([residuals.worst_position().1, residuals.worst_velocity().1]);
        }
        self.values.push(balance.unwrap_or(f64::NAN));
        let start = self.values.len();
        self.values.resize(start + model.describe().outputs.len(), 0.0);
        known.outputs(model, state, &mut self.values[start..]);
        let energy = known.energy(model, state);
        self.values.extend([energy.kinetic, energy.potential]);
    }

    /// Name and value of the first entry of the last row that is not finite, except an unknown energy balance.
    pub(crate) fn last_not_finite(&self) -> Option<(String, f64)> {
        let row = self.rows().next_back()?;
        let mut entries = self.columns.iter().zip(row);
        let (column, &value) = entries.find(|(column, value)| !value.is_finite() && column.name != BALANCE)?;
        Some((format!("`{}`", column.name), value))
    }

    /// Removes all rows but the last.
    pub(crate) fn keep_last(&mut self) {
        let first = self.values.len().saturating_sub(self.columns.len());
        self.values.drain(..first);
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Removes the last row.
    pub(crate) fn drop_last(&mut self) {
        self.values.truncate(self.values.len().saturating_sub(self.columns.len()));
    }

    /// Removes an incomplete last row.
    #[cfg(feature = "std")]
    pub(crate) fn drop_incomplete(&mut self) {
        self.values.truncate(self.len() * self.columns.len());
    }

    fn record_contacts(&mut self, model: &dyn Model, state: &State, record: Option<&ContactRecord>) {
        let contacts = &model.describe().contacts;
        if contacts.is_empty() {
            return;
        }
        let mut gaps = vec![0.0; contacts.len()];
        model.contact_gap(state.t, state.q.as_slice(), &mut gaps);
        let mut row = 0;
        for (contact, gap) in contacts.iter().zip(gaps) {
            self.values.push(gap);
            for row in row..=row + contact.tangents {
                self.values.push(record.map_or(0.0, |record| record.forces[row]));
            }
            self.values.push(record.map_or(0.0, |record| record.impulses[row]));
            row += 1 + contact.tangents;
        }
        let summary =
            |record: &ContactRecord| [record.impacts as f64, record.loss, record.violation, record.penetration];
        self.values.extend(record.map_or([0.0; 4], summary));
    }

    /// Names and units.
    ///
    /// # Examples
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// let table = hamel::Trajectory::new(&Oscillator::default());
    /// let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    /// assert_eq!(names[..3], ["t", "rail.displacement", "velocity(rail.displacement)"]);
    /// assert_eq!(table.columns()[2].unit, "m/s");
    /// ```
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of recorded states.
    pub fn len(&self) -> usize {
        self.values.len() / self.columns.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The recorded states, one row each.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
        self.values.chunks_exact(self.columns.len())
    }

    /// The recorded instants, s.
    pub fn times(&self) -> impl DoubleEndedIterator<Item = f64> + ExactSizeIterator + '_ {
        self.rows().map(|row| row[0])
    }

    /// The recorded instants, s, each with its row.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (f64, &[f64])> + ExactSizeIterator {
        self.rows().map(|row| (row[0], row))
    }

    /// Index of the column of this name in every row.
    ///
    /// # Errors
    /// If there is no such column, with columns of similar names.
    ///
    /// # Examples
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// let table = hamel::Trajectory::new(&Oscillator::default());
    /// assert_eq!(table.place("rail.displacement"), Ok(1));
    /// assert!(table.place("rail.displacment").is_err_and(|error| error.similar.contains(&"rail.displacement".to_owned())));
    /// ```
    pub fn place(&self, name: &str) -> Result<usize, UnknownColumn> {
        let place = self.columns.iter().position(|column| column.name == name);
        place.ok_or_else(|| UnknownColumn {
            name: name.to_owned(),
            similar: similar(name, self.columns.iter().map(|column| column.name.as_str())),
        })
    }

    /// The values of the column of this name, in its unit.
    ///
    /// # Errors
    /// If there is no such column, with columns of similar names.
    ///
    /// # Examples
    /// A mass of 1 kg on a spring of 4 N/m has its largest speed of 2 m/s after a quarter of a period of π seconds.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Simulation, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let quarter = std::f64::consts::FRAC_PI_4;
    /// let run = Simulation::new(&model, &RungeKutta).step(quarter / 50.0).until(quarter).run(initial_state(&model)?);
    /// run.outcome?;
    /// let speed = run.trajectory.column("velocity(rail.displacement)")?.next_back();
    /// assert!(speed.is_some_and(|speed| (speed + 2.0).abs() < 1e-6));
    /// # Ok(())
    /// # }
    /// ```
    pub fn column(
        &self,
        name: &str,
    ) -> Result<impl DoubleEndedIterator<Item = f64> + ExactSizeIterator + '_, UnknownColumn> {
        let place = self.place(name)?;
        Ok(self.rows().map(move |row| row[place]))
    }
}

/// Work per unit of a constraint, or power per unit of one on velocities.
fn multiplier_unit(constraint: &str, work: &str) -> String {
    match (work, constraint) {
        (_, "1") => work.to_owned(),
        ("J", "m") | ("W", "m/s") => "N".to_owned(),
        ("W", "1/s") => "J".to_owned(),
        _ => format!("{work}/({constraint})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_columns_are_named() {
        let columns = ["t", "hinge.angle", "velocity(hinge.angle)", "tip_x", "tip_y", "kinetic_energy"];
        let columns = columns.map(|name| Column { name: name.to_owned(), unit: "1".to_owned() }).to_vec();
        let table = Trajectory { columns, values: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0] };
        let message = |name: &str| table.column(name).err().map(|error| error.to_string());
        assert_eq!(table.column("tip_x").map(Iterator::collect), Ok(vec![3.0]));
        assert_eq!(message("tip_z").as_deref(), Some("there is no column `tip_z`; did you mean `tip_x` or `tip_y`?"));
        let angle = "there is no column `angle`; did you mean `hinge.angle` or `velocity(hinge.angle)`?";
        assert_eq!(message("angle").as_deref(), Some(angle));
        assert_eq!(message("momentum").as_deref(), Some("there is no column `momentum`"));
    }
}
