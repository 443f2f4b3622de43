//! Principal axes of inertia.

use nalgebra::Matrix3;

use crate::robot::pose::Pose;

/// Moments about the principal axes, the largest first, and how these are turned.
pub(super) fn principal(tensor: [[f64; 3]; 3]) -> ([f64; 3], Pose) {
    let found = Matrix3::from_fn(|i, j| tensor[i][j]).symmetric_eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| found.eigenvalues[b].total_cmp(&found.eigenvalues[a]));
    let mut axes = order.map(|axis| [0, 1, 2].map(|k| found.eigenvectors[(k, axis)]));
    // A frame has axes like a right hand.
    axes[2] = [0, 1, 2].map(|k| {
        let (next, last) = ((k + 1) % 3, (k + 2) % 3);
        axes[0][next] * axes[1][last] - axes[0][last] * axes[1][next]
    });
    let rotation = [0, 1, 2].map(|row| axes.map(|axis| axis[row]));
    (order.map(|axis| found.eigenvalues[axis]), Pose { position: [0.0; 3], rotation })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moments about axes that are found give back the tensor, also where moments are equal.
    #[test]
    fn moments_and_axes_give_back_the_tensor() {
        for tensor in [
            [[2.0, 0.3, -0.4], [0.3, 3.0, 0.1], [-0.4, 0.1, 2.5]],
            [[1.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 2.0]],
            [[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]],
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [[5.0, -1.0, 2.0], [-1.0, 4.0, 2.0], [2.0, 2.0, 3.0]],
        ] {
            let (moments, Pose { rotation: r, .. }) = principal(tensor);
            assert!(moments.is_sorted_by(|a, b| a >= b), "{moments:?}");
            for i in 0..3 {
                for j in 0..3 {
                    let found: f64 = (0..3).map(|k| r[i][k] * moments[k] * r[j][k]).sum();
                    assert!((found - tensor[i][j]).abs() < 1e-14, "{tensor:?}: {moments:?} {r:?}");
                    let across: f64 = (0..3).map(|k| r[i][k] * r[j][k]).sum();
                    assert!((across - if i == j { 1.0 } else { 0.0 }).abs() < 1e-14, "{r:?}");
                }
            }
        }
    }
}
