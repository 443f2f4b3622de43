//! What an instance is at a moment, for importers that go back.

use crate::instance::{Fault, Mode};

/// Everything that the next results of an instance depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub(crate) mode: Mode,
    pub(crate) t: f64,
    pub(crate) tolerance: f64,
    /// Whether accelerations and multipliers belong to the rest.
    pub(crate) is_accelerated: bool,
    pub(crate) parameters: Vec<f64>,
    pub(crate) inputs: Vec<f64>,
    /// Coordinates, velocities, accelerations and multipliers, one after the other.
    pub(crate) state: Vec<f64>,
    /// Values of states that the importer has set before the start; NaN for others.
    pub(crate) given: Vec<f64>,
}

/// The first bytes of one that was written.
const MAGIC: &[u8; 8] = b"hamel01\n";

impl Snapshot {
    /// Lengths of the lists, which the model determines.
    pub(crate) fn sizes(&self) -> [usize; 4] {
        [self.parameters.len(), self.inputs.len(), self.state.len(), self.given.len()]
    }

    /// Writes bytes, the same on every machine.
    ///
    /// # Errors
    /// For room of another length than [`len`](Self::len).
    pub fn write(&self, out: &mut [u8]) -> Result<(), Fault> {
        if out.len() != self.len() {
            return Err(Fault::new(format!("room for {} bytes, expected {}", out.len(), self.len())));
        }
        let lists = [&self.parameters, &self.inputs, &self.state, &self.given];
        let first = [f64::from(self.mode as u8), self.t, self.tolerance, f64::from(u8::from(self.is_accelerated))];
        let numbers = first.into_iter().chain(lists.into_iter().flatten().copied());
        let bytes = MAGIC.iter().copied().chain(numbers.flat_map(f64::to_le_bytes));
        out.iter_mut().zip(bytes).for_each(|(out, byte)| *out = byte);
        Ok(())
    }

    /// How many bytes that are.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        MAGIC.len() + 8 * (4 + self.sizes().iter().sum::<usize>())
    }

    /// Reads what was written for an instance of the same model; `None` for anything else.
    pub(crate) fn read(&self, bytes: &[u8]) -> Option<Snapshot> {
        let rest = bytes.strip_prefix(MAGIC)?;
        if bytes.len() != self.len() {
            return None;
        }
        let mut numbers = rest.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
        let [mode, t, tolerance, accelerated] = [numbers.next()?, numbers.next()?, numbers.next()?, numbers.next()?];
        let mut list = |len: usize| numbers.by_ref().take(len).collect::<Vec<f64>>();
        let [parameters, inputs, state, given] = self.sizes().map(&mut list);
        let mode = Mode::ALL.into_iter().find(|known| f64::from(*known as u8) == mode)?;
        Some(Snapshot { mode, t, tolerance, is_accelerated: accelerated == 1.0, parameters, inputs, state, given })
    }
}
