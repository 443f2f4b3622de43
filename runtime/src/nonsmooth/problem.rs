//! The contact problem: impulses Λ and slips `ξ = b + G Λ` that obey the laws of contact and friction.
//!
//! Of each contact `Λ_N ≥ 0, ξ_N ≥ 0, Λ_N ξ_N = 0`, and `Λ_T` is the point of the disc of radius `μ Λ_N` that is
//! nearest to `Λ_T − r ξ_T`, as a projection [rezaei, Eqs. 38, 39, 47, 48]. Unknowns are scaled by contact so that the
//! largest diagonal entry of G is one; then r = 1 serves every contact. G need not be symmetric: couplings of stages
//! are not. Not here: where b and G come from, see [`super::contacts`].

/// One contact of a problem: a row for its normal, then one for each direction of friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rows {
    pub(super) normal: usize,
    pub(super) tangents: usize,
    pub(super) friction: f64,
}

impl Rows {
    pub(super) fn all(&self) -> std::ops::Range<usize> {
        self.normal..self.normal + 1 + self.tangents
    }

    pub(super) fn tangential(&self) -> std::ops::Range<usize> {
        self.normal + 1..self.normal + 1 + self.tangents
    }
}

/// How a contact stands to its laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Status {
    Open,
    Stick,
    /// Sliding: the direction of the force on the border of the disc, and how the force `y` that was projected relates
    /// to that border, `μ Λ_N / |y|`.
    Slide {
        direction: [f64; 2],
        shrink: f64,
    },
}

/// b, G and the unknowns of all contacts that take part.
#[derive(Debug, Default)]
pub(super) struct Problem {
    pub(super) contacts: Vec<Rows>,
    size: usize,
    /// G, row by row, `[n × n]`.
    matrix: Vec<f64>,
    bias: Vec<f64>,
    /// Λ over `scales`.
    unknowns: Vec<f64>,
    scales: Vec<f64>,
    /// ξ times `scales`.
    slips: Vec<f64>,
}

impl Problem {
    /// Makes room for this many contacts and rows.
    pub(super) fn reserve(&mut self, contacts: usize, rows: usize) {
        self.contacts.reserve(contacts);
        self.matrix.reserve(rows * rows);
        for values in [&mut self.bias, &mut self.unknowns, &mut self.scales, &mut self.slips] {
            values.reserve(rows);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
        self.size = 0;
    }

    /// Adds a contact.
    pub(super) fn push(&mut self, tangents: usize, friction: f64) {
        self.contacts.push(Rows { normal: self.size, tangents, friction });
        self.size += 1 + tangents;
    }

    /// Makes b, G and Λ of the contacts that were added; all zero.
    pub(super) fn allocate(&mut self) {
        let n = self.size;
        for (values, length) in [
            (&mut self.matrix, n * n),
            (&mut self.bias, n),
            (&mut self.unknowns, n),
            (&mut self.scales, n),
            (&mut self.slips, n),
        ] {
            values.clear();
            values.resize(length, 0.0);
        }
    }

    /// Number of rows.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Adds to an entry of G.
    pub(super) fn add_entry(&mut self, row: usize, column: usize, value: f64) {
        self.matrix[row * self.size + column] += value;
    }

    /// Sets an entry of b and the first guess of Λ.
    pub(super) fn set_row(&mut self, row: usize, bias: f64, guess: f64) {
        self.bias[row] = bias;
        self.unknowns[row] = guess;
    }

    /// Λ.
    pub(super) fn impulse(&self, row: usize) -> f64 {
        self.unknowns[row] * self.scales[row]
    }

    /// Scales what was set; called once, before anything is solved.
    pub(super) fn scale(&mut self) {
        for contact in &self.contacts {
            let largest = contact.all().map(|row| self.matrix[row * self.size + row]).fold(0.0, f64::max);
            let scale = if largest > 0.0 && largest.is_finite() { largest.sqrt().recip() } else { 1.0 };
            self.scales[contact.all()].fill(scale);
        }
        for (row, entries) in self.matrix.chunks_exact_mut(self.size.max(1)).enumerate() {
            for (entry, scale) in entries.iter_mut().zip(&self.scales) {
                *entry *= self.scales[row] * scale;
            }
        }
        for ((bias, unknown), scale) in self.bias.iter_mut().zip(&mut self.unknowns).zip(&self.scales) {
            *bias *= scale;
            *unknown /= scale;
        }
    }

    /// Whether all numbers are.
    pub(super) fn is_finite(&self) -> bool {
        self.matrix.iter().chain(&self.bias).chain(&self.unknowns).all(|value| value.is_finite())
    }

    /// A row of scaled G.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.matrix[row * self.size..(row + 1) * self.size]
    }

    /// Scaled b.
    pub(super) fn bias(&self, row: usize) -> f64 {
        self.bias[row]
    }

    /// Scaled Λ.
    pub(super) fn unknowns(&mut self) -> &mut [f64] {
        &mut self.unknowns
    }

    /// A slip as it was updated last, scaled.
    pub(super) fn slip(&self, row: usize) -> f64 {
        self.slips[row]
    }

    /// The slips that belong to Λ.
    pub(super) fn update_slips(&mut self) {
        for row in 0..self.size {
            let sum: f64 = self.row(row).iter().zip(&self.unknowns).map(|(entry, unknown)| entry * unknown).sum();
            self.slips[row] = self.bias[row] + sum;
        }
    }

    /// By how much a contact misses its laws: Λ less its projection, row by row; scaled.
    pub(super) fn residual(&self, contact: &Rows) -> [f64; 3] {
        let (unknowns, slips) = (&self.unknowns, &self.slips);
        let normal = unknowns[contact.normal];
        let mut residual = [normal.min(slips[contact.normal]), 0.0, 0.0];
        let mut force = [0.0; 2];
        for (force, row) in force.iter_mut().zip(contact.tangential()) {
            *force = unknowns[row] - slips[row];
        }
        let force = on_disc(force, contact.friction * normal.max(0.0));
        for (k, row) in contact.tangential().enumerate() {
            residual[1 + k] = unknowns[row] - force[k];
        }
        residual
    }

    /// The piece of the laws that a contact is on.
    pub(super) fn status(&self, contact: &Rows) -> Status {
        let (unknowns, slips) = (&self.unknowns, &self.slips);
        let normal = unknowns[contact.normal];
        if normal - slips[contact.normal] <= 0.0 {
            return Status::Open;
        }
        let mut force = [0.0; 2];
        for (force, row) in force.iter_mut().zip(contact.tangential()) {
            *force = unknowns[row] - slips[row];
        }
        let (size, radius) = (force[0].hypot(force[1]), contact.friction * normal.max(0.0));
        if size <= radius && contact.friction > 0.0 {
            return Status::Stick;
        }
        let direction = if size > 0.0 { force.map(|part| part / size) } else { [0.0; 2] };
        Status::Slide { direction, shrink: if size > 0.0 { radius / size } else { 0.0 } }
    }

    /// Largest violation of the laws as a relative velocity, and the size of the velocities from which it is left.
    pub(super) fn violation(&self) -> (f64, f64) {
        let (mut violation, mut size) = (0.0_f64, 0.0_f64);
        for contact in &self.contacts {
            let residual = self.residual(contact);
            for (row, residual) in contact.all().zip(residual) {
                let scale = self.scales[row];
                violation = larger(violation, residual.abs() / scale);
                let terms = self.row(row).iter().zip(&self.unknowns).map(|(entry, unknown)| (entry * unknown).abs());
                size = larger(size, (self.bias[row].abs() + terms.sum::<f64>()) / scale);
            }
        }
        (violation, size)
    }

    /// Whether a contact misses its laws by more than a relative velocity.
    pub(super) fn misses(&self, contact: &Rows, tolerance: f64) -> bool {
        let scale = self.scales[contact.normal];
        self.residual(contact).iter().any(|residual| residual.is_nan() || residual.abs() > tolerance * scale)
    }
}

/// The larger of two numbers, or the undefined one.
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// The point of a disc that is nearest.
pub(super) fn on_disc(point: [f64; 2], radius: f64) -> [f64; 2] {
    let size = point[0].hypot(point[1]);
    if size <= radius { point } else { point.map(|part| part * (radius / size)) }
}
