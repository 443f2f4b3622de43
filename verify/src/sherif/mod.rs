//! [sherif]: a modified HHT scheme for rotations in Euler parameters.

use crate::experiment::Paper;

pub(crate) const PAPER: Paper = Paper {
    key: "sherif",
    reference: "Sherif, Nachbagauer, Steiner (2019), Multibody System Dynamics 46, 181–202",
    experiments: &[],
};
