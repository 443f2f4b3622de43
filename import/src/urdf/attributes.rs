//! Attributes that URDF has.

/// Of what is read.
pub(super) const KNOWN: [(&str, &str); 13] = [
    ("robot", "name version"),
    ("link", "name type"),
    ("inertial", ""),
    ("mass", "value"),
    ("inertia", "ixx ixy ixz iyy iyz izz"),
    ("joint", "name type"),
    ("origin", "xyz rpy quat_xyzw"),
    ("parent", "link"),
    ("child", "link"),
    ("axis", "xyz"),
    ("dynamics", "damping friction"),
    ("limit", "lower upper effort velocity acceleration deceleration jerk"),
    ("mimic", "joint multiplier offset"),
];
