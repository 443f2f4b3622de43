//! Descriptions of mechanical systems in other formats, translated into the text of a model.

pub mod urdf;
