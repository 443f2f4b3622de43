//! Convergence studies: error norms, observed orders, Richardson extrapolation.

use hamel_report::number::exact_digits;
use hamel_report::{Cell, Column, Table};

/// Errors over step sizes, coarsest step first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convergence {
    /// `(step size, error)`.
    pub points: Vec<(f64, f64)>,
}

impl Convergence {
    /// Errors over step sizes, in any order.
    pub fn new(mut points: Vec<(f64, f64)>) -> Self {
        points.sort_by(|a, b| b.0.total_cmp(&a.0));
        Self { points }
    }

    /// Observed order between each step size and the next finer one.
    pub fn orders(&self) -> Vec<f64> {
        self.points.windows(2).map(|pair| slope(pair[0], pair[1])).collect()
    }

    /// Observed order between the two finest steps, undefined for fewer.
    pub fn last_order(&self) -> f64 {
        self.orders().last().copied().unwrap_or(f64::NAN)
    }

    /// Slope of the least-squares line through all points in double logarithmic scale.
    pub fn fitted_order(&self) -> f64 {
        fitted_slope(self.points.iter().map(|&(h, error)| (h.ln(), error.ln())))
    }
}

/// A table of several studies over the same step sizes: error and observed order of each.
pub fn table(slug: &str, title: &str, error: (&str, &'static str), studies: &[(&str, &Convergence)]) -> Table {
    let mut columns = vec![Column::new("h", "s")];
    for (name, _) in studies {
        columns.push(Column::new(format!("{} {name}", error.0), error.1));
        columns.push(Column::new("order", "1"));
    }
    let steps = studies.first().map_or(&[][..], |(_, study)| &study.points);
    let rows = steps.iter().enumerate().map(|(row, &(h, _))| {
        let mut cells = vec![Cell::number(h, exact_digits(h, 3))];
        for (_, study) in studies {
            cells.push(study.points.get(row).map_or(Cell::Empty, |&(_, error)| Cell::number(error, 3)));
            let order = row.checked_sub(1).and_then(|previous| study.orders().get(previous).copied());
            cells.push(order.map_or(Cell::Empty, |order| Cell::number(order, 3)));
        }
        cells
    });
    Table { slug: slug.to_owned(), title: title.to_owned(), columns, rows: rows.collect() }
}

fn slope(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.1 / b.1).ln() / (a.0 / b.0).ln()
}

/// Slope of the line of least squares.
pub fn fitted_slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let n = points.clone().count() as f64;
    let (mean_x, mean_y) = points.clone().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x / n, sy + y / n));
    let (xx, xy) =
        points.fold((0.0, 0.0), |(xx, xy), (x, y)| (xx + (x - mean_x).powi(2), xy + (x - mean_x) * (y - mean_y)));
    xy / xx
}

/// `e_ω = Σᵢ ∫ |ωᵢ − ω_ref,i| dt` by the trapezoidal rule; both sampled at the same instants, `dt` apart.
/// [sherif, Eq. 71, heavy top]
pub fn integrated_error<const N: usize>(dt: f64, computed: &[[f64; N]], reference: &[[f64; N]]) -> f64 {
    let deviation = |(a, b): (&[f64; N], &[f64; N])| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>();
    let deviations: Vec<f64> = computed.iter().zip(reference).map(deviation).collect();
    deviations.windows(2).map(|pair| 0.5 * dt * (pair[0] + pair[1])).sum()
}

/// The largest absolute value; undefined when one of them is, which a plain maximum would hide.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(
        0.0,
        |largest: f64, value| if value.is_nan() || largest.is_nan() { f64::NAN } else { largest.max(value.abs()) },
    )
}

/// The limit for vanishing step size, from values at a step and at half of it, for a scheme of this order.
pub fn richardson(coarse: f64, fine: f64, order: i32) -> f64 {
    fine + (fine - coarse) / (2f64.powi(order) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_a_power_law_are_its_exponent() {
        let study = Convergence::new([1e-3, 1e-2, 5e-4].map(|h: f64| (h, 7.0 * h.powf(1.5))).to_vec());
        assert!(study.points[0].0 > study.points[1].0);
        for order in study.orders() {
            assert!((order - 1.5).abs() < 1e-12);
        }
        assert!((study.fitted_order() - 1.5).abs() < 1e-12);
        assert!(Convergence::default().last_order().is_nan());
    }

    #[test]
    fn integrated_error_of_a_ramp_is_half_its_height() {
        let zero = vec![[0.0; 2]; 11];
        let ramp: Vec<[f64; 2]> = (0..=10).map(|k| [0.1 * k as f64, -0.2 * k as f64]).collect();
        assert!((integrated_error(0.1, &ramp, &zero) - 1.5).abs() < 1e-12);
    }

    #[test]
    fn an_undefined_value_is_not_lost_in_a_maximum() {
        assert_eq!(largest([1.0, -3.0, 2.0]), 3.0);
        assert!(largest([1.0, f64::NAN]).is_nan());
        assert!(largest([f64::NAN, f64::NAN, 0.0]).is_nan());
    }

    #[test]
    fn richardson_removes_the_leading_error() {
        let value = |h: f64| 3.0 + 0.4 * h * h;
        assert!((richardson(value(0.1), value(0.05), 2) - 3.0).abs() < 1e-12);
    }

    #[test]
    fn table_shows_no_order_in_its_first_row() {
        let study = Convergence::new(vec![(0.1, 1e-2), (0.05, 2.5e-3)]);
        let table = table("t", "errors", ("e", "rad"), &[("classical", &study)]);
        assert_eq!(table.rows[0][2], Cell::Empty);
        assert!(matches!(table.rows[1][2], Cell::Number { value, .. } if (value - 2.0).abs() < 1e-12));
        assert_eq!(table.columns.len(), 3);
    }
}
