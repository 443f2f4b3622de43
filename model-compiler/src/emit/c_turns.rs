//! The configuration space in C: where coordinates are not integrals of velocities, and functions of attitudes.

use std::fmt::Write;

use super::c_kernel::finished;
use crate::derive::Block;
use crate::rotations::RotationKind;

/// An attitude whose velocities are components along the axes of its body, and the place of that body if its velocities are.
pub(super) struct Turn {
    pub(super) kind: RotationKind,
    /// First coordinate and first velocity of the place.
    pub(super) place: Option<(usize, usize)>,
    /// First coordinate of the attitude.
    pub(super) attitude: usize,
    /// First component of the angular velocity.
    pub(super) omega: usize,
}

/// The blocks of a configuration space.
pub(super) struct Space {
    pub(super) turns: Vec<Turn>,
    /// First coordinate, first velocity and number of those whose rates are the velocities.
    pub(super) vectors: Vec<(usize, usize, usize)>,
}

impl Space {
    pub(super) fn of(blocks: &[Block]) -> Space {
        let mut space = Space { turns: Vec::new(), vectors: Vec::new() };
        let (mut q, mut v) = (0, 0);
        for block in blocks {
            let (nq, nv) = match block {
                Block::Vector(n) => (*n, *n),
                Block::EulerParameters => (4, 4),
                Block::Rotation(kind) => (attitude(*kind), 3),
                Block::Pose(kind) => (3 + attitude(*kind), 6),
            };
            match *block {
                Block::Vector(_) | Block::EulerParameters => match space.vectors.last_mut() {
                    Some((first, at, n)) if *first + *n == q && *at + *n == v => *n += nq,
                    _ => space.vectors.push((q, v, nq)),
                },
                Block::Rotation(kind) => space.turns.push(Turn { kind, place: None, attitude: q, omega: v }),
                Block::Pose(kind) => {
                    space.turns.push(Turn { kind, place: Some((q, v)), attitude: q + 3, omega: v + 3 })
                }
            }
            q += nq;
            v += nv;
        }
        space
    }
}

/// The function `rates`: N(q) v.
pub(super) fn rates(blocks: &[Block]) -> String {
    let Space { turns, vectors } = Space::of(blocks);
    let mut text = "static void rates(const double *q, const double *v, double *rate)\n{\n".to_owned();
    for Turn { kind, place, attitude, omega } in &turns {
        let kind = prefix(*kind);
        if let Some((q, v)) = place {
            let _ = writeln!(text, "{kind}_place_rate(q + {attitude}, v + {v}, rate + {q});");
        }
        let _ = writeln!(text, "{kind}_rate(q + {attitude}, v + {omega}, rate + {attitude});");
    }
    for (q, v, n) in vectors {
        let _ = writeln!(text, "for (int i = 0; i < {n}; ++i) rate[{q} + i] = v[{v} + i];");
    }
    if turns.is_empty() {
        text.push_str("(void)q;\n");
    }
    format!("/* N(q) v. */\n{}", finished(&(text + "}\n")))
}

/// The functions of attitudes that a text calls, or that these call.
pub(super) fn called(text: &str) -> String {
    let (mut kept, mut text) = (Vec::new(), text.to_owned());
    for function in TURNS.split_terminator("}\n\n").collect::<Vec<_>>().into_iter().rev() {
        // Behind the comment.
        let head = function.split_once("static ").map_or(function, |(_, head)| head);
        let head = head.split_once('(').map_or(head, |(head, _)| head);
        let name = head.rsplit(' ').next().unwrap_or(head);
        if text.contains(&format!("{name}(")) {
            text.push_str(function);
            kept.push(format!("{function}}}\n\n"));
        }
    }
    kept.into_iter().rev().collect()
}

/// Coordinates of an attitude.
pub(super) fn attitude(kind: RotationKind) -> usize {
    match kind {
        RotationKind::EulerParameters => 4,
        RotationKind::EulerZyx => 3,
    }
}

/// How functions of an attitude begin.
pub(super) fn prefix(kind: RotationKind) -> &'static str {
    match kind {
        RotationKind::EulerParameters => "quaternion",
        RotationKind::EulerZyx => "angles",
    }
}

/// Functions of attitudes, of which programs have those that they call; as in `runtime/src/configuration.rs` and
/// `runtime/src/rotation.rs`.
const TURNS: &str = "\
/* A product of quaternions. */
static void product(const double *a, const double *b, double *out)
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Of unit norm. */
static void unit(double *e)
{
    const double inverse = 1.0 / sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int i = 0; i < 4; ++i) e[i] *= inverse;
}

/* The quaternion of a part of a rotation vector. */
static void half_turn(const double *by, double part, double *out)
{
    const double x = part * by[0], y = part * by[1], z = part * by[2];
    const double half = 0.5 * sqrt(x * x + y * y + z * z);
    const double ratio = half > SMALLEST ? 0.5 * sin(half) / half : 0.5;
    out[0] = cos(half);
    out[1] = ratio * x;
    out[2] = ratio * y;
    out[3] = ratio * z;
}

/* A vector in ground axes from one in the axes of a body. */
static void turned(const double *e, const double *u, double *out)
{
    const double x = 2.0 * (e[2] * u[2] - e[3] * u[1]);
    const double y = 2.0 * (e[3] * u[0] - e[1] * u[2]);
    const double z = 2.0 * (e[1] * u[1] - e[2] * u[0]);
    out[0] = u[0] + e[0] * x + e[2] * z - e[3] * y;
    out[1] = u[1] + e[0] * y + e[3] * x - e[1] * z;
    out[2] = u[2] + e[0] * z + e[1] * y - e[2] * x;
}

static void quaternion_rate(const double *e, const double *omega, double *rate)
{
    const double pure[4] = { 0.0, 0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2] };
    product(e, pure, rate);
}

static void quaternion_turn(const double *e, const double *by, double *out)
{
    double turn[4];
    half_turn(by, 1.0, turn);
    product(e, turn, out);
    unit(out);
}

/* The quadratic form of a rotation, as the equations have it, also where stages of a step are off the unit norm. */
static void quaternion_place_rate(const double *e, const double *u, double *rate)
{
    const double same = e[0] * e[0] - e[1] * e[1] - e[2] * e[2] - e[3] * e[3];
    const double along = 2.0 * (e[1] * u[0] + e[2] * u[1] + e[3] * u[2]);
    rate[0] = same * u[0] + along * e[1] + 2.0 * e[0] * (e[2] * u[2] - e[3] * u[1]);
    rate[1] = same * u[1] + along * e[2] + 2.0 * e[0] * (e[3] * u[0] - e[1] * u[2]);
    rate[2] = same * u[2] + along * e[3] + 2.0 * e[0] * (e[1] * u[1] - e[2] * u[0]);
}

static void quaternion_shift(const double *pose, const double *by, double *out)
{
    double turn[4], halfway[4], moved[3];
    half_turn(by + 3, 0.5, turn);
    product(pose + 3, turn, halfway);
    turned(halfway, by, moved);
    for (int i = 0; i < 3; ++i) out[i] = pose[i] + moved[i];
}

/* Angles (phi, theta, psi) about x, the new y and the new z of the ground, z first. */
static void quaternion_of(const double *angles, double *e)
{
    const double cx = cos(0.5 * angles[0]), sx = sin(0.5 * angles[0]);
    const double cy = cos(0.5 * angles[1]), sy = sin(0.5 * angles[1]);
    const double cz = cos(0.5 * angles[2]), sz = sin(0.5 * angles[2]);
    e[0] = cz * cy * cx + sz * sy * sx;
    e[1] = cz * cy * sx - sz * sy * cx;
    e[2] = cz * sy * cx + sz * cy * sx;
    e[3] = sz * cy * cx - cz * sy * sx;
}

static double nearest(double angle, double near)
{
    const double turn = 6.283185307179586;
    return angle + turn * floor((near - angle) / turn + 0.5);
}

static void angles_rate(const double *angles, const double *omega, double *rate)
{
    const double c = cos(angles[0]), s = sin(angles[0]);
    const double about_z = (s * omega[1] + c * omega[2]) / cos(angles[1]);
    rate[0] = omega[0] + sin(angles[1]) * about_z;
    rate[1] = c * omega[1] - s * omega[2];
    rate[2] = about_z;
}

static void angles_turn(const double *angles, const double *by, double *out)
{
    double e[4], turn[4], r[4];
    quaternion_of(angles, e);
    half_turn(by, 1.0, turn);
    product(e, turn, r);
    unit(r);
    const double across = 2.0 * (r[0] * r[2] - r[3] * r[1]);
    const double near[3] = { angles[0], angles[1], angles[2] };
    out[0] = nearest(atan2(2.0 * (r[0] * r[1] + r[2] * r[3]), 1.0 - 2.0 * (r[1] * r[1] + r[2] * r[2])), near[0]);
    out[1] = asin(across > 1.0 ? 1.0 : across < -1.0 ? -1.0 : across);
    out[2] = nearest(atan2(2.0 * (r[0] * r[3] + r[1] * r[2]), 1.0 - 2.0 * (r[2] * r[2] + r[3] * r[3])), near[2]);
}

static void angles_place_rate(const double *angles, const double *u, double *rate)
{
    double e[4];
    quaternion_of(angles, e);
    turned(e, u, rate);
}

static void angles_shift(const double *pose, const double *by, double *out)
{
    double e[4], turn[4], halfway[4], moved[3];
    quaternion_of(pose + 3, e);
    half_turn(by + 3, 0.5, turn);
    product(e, turn, halfway);
    turned(halfway, by, moved);
    for (int i = 0; i < 3; ++i) out[i] = pose[i] + moved[i];
}

/* From changes of a quaternion of unit norm to those of its angles about the body's axes, 3 x 4. */
static void quaternion_directions(const double *e, double inverse_norm, double *by)
{
    for (int row = 0; row < 3; ++row) {
        double omega[3] = { 0.0, 0.0, 0.0 }, rate[4];
        omega[row] = 4.0 * inverse_norm;
        quaternion_rate(e, omega, rate);
        for (int i = 0; i < 4; ++i) by[4 * row + i] = rate[i];
    }
}

/* The same of three angles, 3 x 3. */
static void angles_directions(const double *angles, double inverse_norm, double *by)
{
    const double c = cos(angles[0]), s = sin(angles[0]), across = cos(angles[1]);
    (void)inverse_norm;
    by[0] = 1.0;
    by[1] = by[3] = by[6] = 0.0;
    by[2] = -sin(angles[1]);
    by[4] = c;
    by[5] = s * across;
    by[7] = -s;
    by[8] = c * across;
}

/* From changes of a place to those along the body's axes, 3 x 3. */
static void quaternion_place_directions(const double *e, double *by)
{
    for (int row = 0; row < 3; ++row) {
        double along[3] = { 0.0, 0.0, 0.0 };
        along[row] = 1.0;
        quaternion_place_rate(e, along, by + 3 * row);
    }
}

static void angles_place_directions(const double *angles, double *by)
{
    double e[4];
    quaternion_of(angles, e);
    quaternion_place_directions(e, by);
}

/* Derivatives of the rate of a quaternion by the quaternion of which e is the unit one, 4 x 4. */
static void quaternion_rate_by_attitude(const double *e, const double *omega, double inverse_norm, double *by)
{
    double along[4];
    quaternion_rate(e, omega, along);
    for (int column = 0; column < 4; ++column) {
        double one[4] = { 0.0, 0.0, 0.0, 0.0 }, rate[4];
        one[column] = 1.0;
        quaternion_rate(one, omega, rate);
        for (int row = 0; row < 4; ++row) by[4 * row + column] = inverse_norm * (rate[row] - along[row] * e[column]);
    }
}

static void angles_rate_by_attitude(const double *angles, const double *omega, double inverse_norm, double *by)
{
    const double c = cos(angles[0]), s = sin(angles[0]), across = cos(angles[1]), up = sin(angles[1]);
    const double a = c * omega[1] - s * omega[2], b = s * omega[1] + c * omega[2];
    (void)inverse_norm;
    by[0] = up / across * a;
    by[1] = b / (across * across);
    by[3] = -b;
    by[6] = a / across;
    by[7] = b * up / (across * across);
    by[2] = by[4] = by[5] = by[8] = 0.0;
}

/* Derivatives of the rate of a place by the attitude, 3 x n, from those of the angles about the body's axes. */
static void quaternion_place_rate_by_attitude(const double *e, const double *u, const double *directions, int n, double *by)
{
    for (int i = 0; i < n; ++i) {
        const double x = directions[i], y = directions[n + i], z = directions[2 * n + i];
        const double across[3] = { y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0] };
        double rate[3];
        turned(e, across, rate);
        for (int row = 0; row < 3; ++row) by[n * row + i] = rate[row];
    }
}

static void angles_place_rate_by_attitude(const double *angles, const double *u, const double *directions, int n, double *by)
{
    double e[4];
    quaternion_of(angles, e);
    quaternion_place_rate_by_attitude(e, u, directions, n, by);
}

";
