//! Attributes that SDFormat has.

/// Of what is read.
pub(super) const KNOWN: [(&str, &str); 23] = [
    ("sdf", "version"),
    ("world", "name"),
    ("model", "name canonical_link placement_frame"),
    ("frame", "name attached_to"),
    ("link", "name"),
    ("pose", "relative_to frame rotation_format degrees"),
    ("inertial", "auto"),
    ("mass", ""),
    ("inertia", ""),
    ("joint", "name type"),
    ("parent", ""),
    ("child", ""),
    ("axis", ""),
    ("axis2", ""),
    ("xyz", "expressed_in"),
    ("dynamics", ""),
    ("limit", ""),
    ("mimic", "joint axis"),
    ("screw_thread_pitch", ""),
    ("thread_pitch", ""),
    ("gearbox_ratio", ""),
    ("gravity", ""),
    ("static", ""),
];
