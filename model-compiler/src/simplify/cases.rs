//! Reference functions for tests of cost: a rigid body in Euler parameters, a slider-crank, serial arms.

use crate::expr::{ExprId, Graph, Stage};

type Vector = Vec<ExprId>;
type Matrix = Vec<Vector>;

/// A set of expressions to compute together.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) graph: Graph,
    pub(super) roots: Vec<ExprId>,
}

/// Rigid body in Euler parameters e: the upper triangle of 4 LᵀJL and the bias force, [sherif, Eq. 4 and 9].
///
/// The bias force is 8 LᵀL L'ᵀJL e', or 8 L'ᵀJL e' if `is_short`; with Jacobians of M a and of the bias force.
pub(super) fn euler_parameter_body(has_full_inertia: bool, is_short: bool, has_jacobians: bool) -> Case {
    let mut g = Graph::new();
    let e = symbols(&mut g, "e", 4, Stage::Position);
    let v = symbols(&mut g, "v", 4, Stage::Velocity);
    let inertia = if has_full_inertia { symmetric(&mut g, "J") } else { diagonal(&mut g, "J") };
    let (l, l_rate) = (l_matrix(&mut g, &e), l_matrix(&mut g, &v));
    let jl = times(&mut g, &inertia, &l);
    let ltjl = times(&mut g, &transposed(&l), &jl);
    let (four, eight) = (g.integer(4), g.integer(8));
    let mass: Matrix = ltjl.iter().map(|row| scaled(&mut g, four, row)).collect();
    let momentum = apply(&mut g, &jl, &v);
    let mut bias = apply(&mut g, &transposed(&l_rate), &momentum);
    if !is_short {
        let lifted = apply(&mut g, &l, &bias);
        bias = apply(&mut g, &transposed(&l), &lifted);
    }
    let bias = scaled(&mut g, eight, &bias);
    let mut roots = upper_triangle(&mass);
    roots.extend(&bias);
    if has_jacobians {
        let a = symbols(&mut g, "a", 4, Stage::Acceleration);
        let inertial = apply(&mut g, &mass, &a);
        roots.extend(g.jacobian(&inertial, &e).concat());
        roots.extend(g.jacobian(&bias, &e).concat());
        roots.extend(g.jacobian(&bias, &v).concat());
    }
    let name = format!("EP body, full inertia {has_full_inertia}, short {is_short}, Jacobians {has_jacobians}");
    Case { name, graph: g, roots }
}

/// Planar slider-crank with the crank angle as its coordinate: M, h, and the derivatives of M α + h.
pub(super) fn slider_crank(has_jacobians: bool) -> Case {
    let mut g = Graph::new();
    let theta = g.symbol("theta", Stage::Position);
    let omega = g.symbol("omega", Stage::Velocity);
    let [r, l, j1, m2, a, j2, m3, mc1, gravity] =
        ["r", "l", "J1", "m2", "a", "J2", "m3", "mc1", "g"].map(|name| g.symbol(name, Stage::Parameter));
    let (sine, cosine) = (g.sin(theta), g.cos(theta));
    let (rs, rc) = (g.mul(r, sine), g.mul(r, cosine));
    let (ll, rs_squared) = (g.mul(l, l), g.mul(rs, rs));
    let radicand = g.sub(ll, rs_squared);
    let q = g.sqrt(radicand);
    let slider = g.add(rc, q);
    let fraction = g.div(a, l);
    let fraction_q = g.mul(fraction, q);
    let x = g.add(rc, fraction_q);
    let one = g.one();
    let rest = g.sub(one, fraction);
    let y = g.mul(rest, rs);
    let slope = g.div(rc, q);
    let rod_rate = g.neg(slope);
    let rates = g.jacobian(&[slider, x, y], &[theta]).concat();
    let mut second = g.jacobian(&rates, &[theta]).concat();
    second.push(g.derivative(rod_rate, theta));
    let (mut mass, mut coriolis) = (j1, g.zero());
    for ((inertia, rate), second) in
        [m3, m2, m2, j2].into_iter().zip([rates[0], rates[1], rates[2], rod_rate]).zip(second)
    {
        let square = g.mul(rate, rate);
        let term = g.mul(inertia, square);
        mass = g.add(mass, term);
        let product = g.mul(rate, second);
        let term = g.mul(inertia, product);
        coriolis = g.add(coriolis, term);
    }
    let omega_squared = g.mul(omega, omega);
    let coriolis = g.mul(coriolis, omega_squared);
    let (crank, rod) = (g.mul(mc1, cosine), g.mul(m2, rates[2]));
    let moments = g.add(crank, rod);
    let weight = g.mul(gravity, moments);
    let bias = g.add(coriolis, weight);
    let mut roots = vec![mass, bias];
    if has_jacobians {
        let alpha = g.symbol("alpha", Stage::Acceleration);
        let inertial = g.mul(mass, alpha);
        let torque = g.add(inertial, bias);
        roots.extend(g.jacobian(&[torque], &[theta, omega]).concat());
    }
    Case { name: format!("slider-crank, Jacobians {has_jacobians}"), graph: g, roots }
}

/// Inverse dynamics of the first n joints of a PUMA-like arm by the recursive Newton-Euler algorithm.
pub(super) fn arm_inverse_dynamics(n: usize) -> Case {
    let mut g = Graph::new();
    let arm = Arm::new(&mut g, n);
    let zero = g.zero();
    let (mut w, mut w_rate) = (vec![zero; 3], vec![zero; 3]);
    let mut acceleration = vec![zero, zero, arm.gravity];
    let (mut forces, mut moments) = (Vec::new(), Vec::new());
    for k in 0..n {
        let (rotation, position) = &arm.frames[k];
        let back = transposed(rotation);
        let tangential = cross(&mut g, &w_rate, position);
        let velocity = cross(&mut g, &w, position);
        let centripetal = cross(&mut g, &w, &velocity);
        let relative = plus(&mut g, &tangential, &centripetal);
        let total = plus(&mut g, &relative, &acceleration);
        acceleration = apply(&mut g, &back, &total);
        let (w_parent, w_rate_parent) = (apply(&mut g, &back, &w), apply(&mut g, &back, &w_rate));
        let (spin, spin_rate) = (vec![zero, zero, arm.qd[k]], vec![zero, zero, arm.qdd[k]]);
        let gyration = cross(&mut g, &w_parent, &spin);
        w = plus(&mut g, &w_parent, &spin);
        let sum = plus(&mut g, &w_rate_parent, &spin_rate);
        w_rate = plus(&mut g, &sum, &gyration);
        let h = &arm.h[k];
        let euler = cross(&mut g, &w_rate, h);
        let wh = cross(&mut g, &w, h);
        let wwh = cross(&mut g, &w, &wh);
        let translation = scaled(&mut g, arm.m[k], &acceleration);
        let force = plus(&mut g, &translation, &euler);
        forces.push(plus(&mut g, &force, &wwh));
        let angular_momentum = apply(&mut g, &arm.inertia[k], &w);
        let rate = apply(&mut g, &arm.inertia[k], &w_rate);
        let gyroscopic = cross(&mut g, &w, &angular_momentum);
        let lever = cross(&mut g, h, &acceleration);
        let moment = plus(&mut g, &rate, &gyroscopic);
        moments.push(plus(&mut g, &moment, &lever));
    }
    let (mut force, mut moment) = (vec![zero; 3], vec![zero; 3]);
    let mut roots = vec![zero; n];
    for k in (0..n).rev() {
        force = plus(&mut g, &force, &forces[k]);
        moment = plus(&mut g, &moment, &moments[k]);
        roots[k] = moment[2];
        (force, moment) = arm.to_parent(&mut g, k, &force, &moment);
    }
    Case { name: format!("arm{n} inverse dynamics"), graph: g, roots }
}

/// Mass matrix of the same arm by the composite rigid body algorithm.
pub(super) fn arm_mass_matrix(n: usize) -> Case {
    let mut g = Graph::new();
    let arm = Arm::new(&mut g, n);
    let (mut m, mut h, mut inertia) = (arm.m.clone(), arm.h.clone(), arm.inertia.clone());
    let zero = g.zero();
    let mut mass = vec![vec![zero; n]; n];
    for k in (0..n).rev() {
        let mut moment: Vector = (0..3).map(|axis| inertia[k][axis][2]).collect();
        let mut force = vec![g.neg(h[k][1]), h[k][0], zero];
        mass[k][k] = moment[2];
        for j in (0..k).rev() {
            (force, moment) = arm.to_parent(&mut g, j + 1, &force, &moment);
            mass[j][k] = moment[2];
        }
        if k > 0 {
            let (rotation, position) = &arm.frames[k];
            let turned = apply(&mut g, rotation, &h[k]);
            let shifted = scaled(&mut g, m[k], position);
            let half = g.ratio(1, 2);
            let half_shifted = scaled(&mut g, half, &shifted);
            let y = plus(&mut g, &turned, &half_shifted);
            let partial = times(&mut g, rotation, &inertia[k]);
            let rotated = times(&mut g, &partial, &transposed(rotation));
            let steiner = steiner_terms(&mut g, position, &y);
            let moved: Matrix = rotated.iter().zip(&steiner).map(|(a, b)| plus(&mut g, a, b)).collect();
            inertia[k - 1] = inertia[k - 1].clone().iter().zip(&moved).map(|(a, b)| plus(&mut g, a, b)).collect();
            let first_moment = plus(&mut g, &turned, &shifted);
            h[k - 1] = plus(&mut g, &h[k - 1].clone(), &first_moment);
            m[k - 1] = g.add(m[k - 1], m[k]);
        }
    }
    let roots = upper_triangle(&mass);
    Case { name: format!("arm{n} mass matrix"), graph: g, roots }
}

/// M and h of the same arm from world-frame Jacobians and Christoffel symbols, the way that wastes most.
pub(super) fn arm_lagrange(n: usize) -> Case {
    let mut g = Graph::new();
    let arm = Arm::new(&mut g, n);
    let (zero, one) = (g.zero(), g.one());
    let mut rotation: Matrix = (0..3).map(|i| (0..3).map(|j| if i == j { one } else { zero }).collect()).collect();
    let mut origin = vec![zero; 3];
    let (mut axes, mut origins): (Vec<Vector>, Vec<Vector>) = (Vec::new(), Vec::new());
    let mut mass = vec![vec![zero; n]; n];
    let mut potential = zero;
    for k in 0..n {
        let (relative, position) = &arm.frames[k];
        let step = apply(&mut g, &rotation, position);
        origin = plus(&mut g, &origin, &step);
        rotation = times(&mut g, &rotation, relative);
        axes.push((0..3).map(|i| rotation[i][2]).collect());
        origins.push(origin.clone());
        let h = apply(&mut g, &rotation, &arm.h[k]);
        let partial = times(&mut g, &rotation, &arm.inertia[k]);
        let inertia = times(&mut g, &partial, &transposed(&rotation));
        let velocities: Vec<Vector> = (0..=k)
            .map(|j| {
                let arm_vector: Vector = (0..3).map(|i| g.sub(origin[i], origins[j][i])).collect();
                cross(&mut g, &axes[j], &arm_vector)
            })
            .collect();
        for i in 0..=k {
            for j in i..=k {
                let speed = g.dot(&velocities[i], &velocities[j]);
                let translation = g.mul(arm.m[k], speed);
                let turned = cross(&mut g, &axes[j], &h);
                let first = g.dot(&velocities[i], &turned);
                let turned = cross(&mut g, &axes[i], &h);
                let second = g.dot(&velocities[j], &turned);
                let spun = apply(&mut g, &inertia, &axes[j]);
                let rotation_part = g.dot(&axes[i], &spun);
                let entry = g.sum(&[mass[i][j], translation, first, second, rotation_part]);
                mass[i][j] = entry;
                mass[j][i] = entry;
            }
        }
        let lifted = g.mul(arm.m[k], origin[2]);
        potential = g.sum(&[potential, lifted, h[2]]);
    }
    let mut roots = upper_triangle(&mass);
    let derivatives: Vec<Matrix> =
        (0..n).map(|k| mass.iter().map(|row| g.jacobian(row, &[arm.q[k]]).concat()).collect()).collect();
    let energy = g.mul(arm.gravity, potential);
    for k in 0..n {
        let mut bias = zero;
        for i in 0..n {
            for j in 0..n {
                let half = g.ratio(1, 2);
                let term = g.mul(half, derivatives[k][i][j]);
                let christoffel = g.sub(derivatives[i][k][j], term);
                let speeds = g.mul(arm.qd[i], arm.qd[j]);
                let term = g.mul(christoffel, speeds);
                bias = g.add(bias, term);
            }
        }
        let weight = g.derivative(energy, arm.q[k]);
        roots.push(g.add(bias, weight));
    }
    Case { name: format!("arm{n} Lagrange"), graph: g, roots }
}

/// A revolute chain in modified Denavit-Hartenberg form, with inertias about the link origins.
struct Arm {
    q: Vector,
    qd: Vector,
    qdd: Vector,
    m: Vector,
    h: Vec<Vector>,
    inertia: Vec<Matrix>,
    gravity: ExprId,
    /// Rotation and position of every link in its parent.
    frames: Vec<(Matrix, Vector)>,
}

impl Arm {
    fn new(g: &mut Graph, n: usize) -> Arm {
        const TWISTS: [i64; 6] = [0, -1, 0, -1, 1, -1];
        const HAS_LENGTH: [bool; 6] = [false, false, true, true, false, false];
        const HAS_OFFSET: [bool; 6] = [false, true, true, true, false, false];
        let q = symbols(g, "q", n, Stage::Position);
        let qd = symbols(g, "qd", n, Stage::Velocity);
        let qdd = symbols(g, "qdd", n, Stage::Acceleration);
        let m = symbols(g, "m", n, Stage::Parameter);
        let h = (0..n).map(|k| symbols(g, &format!("h{k}_"), 3, Stage::Parameter)).collect();
        let inertia = (0..n).map(|k| symmetric(g, &format!("I{k}_"))).collect();
        let gravity = g.symbol("g", Stage::Parameter);
        let parameter = |g: &mut Graph, exists: bool, name: String| {
            if exists { g.symbol(&name, Stage::Parameter) } else { g.zero() }
        };
        let frames = (0..n)
            .map(|k| {
                let length = parameter(g, HAS_LENGTH[k], format!("a{k}"));
                let offset = parameter(g, HAS_OFFSET[k], format!("d{k}"));
                link_frame(g, q[k], TWISTS[k], length, offset)
            })
            .collect();
        Arm { q, qd, qdd, m, h, inertia, gravity, frames }
    }

    /// A force and a moment about the origin of link k, seen from its parent.
    fn to_parent(&self, g: &mut Graph, k: usize, force: &Vector, moment: &Vector) -> (Vector, Vector) {
        let (rotation, position) = &self.frames[k];
        let (force, moment) = (apply(g, rotation, force), apply(g, rotation, moment));
        let lever = cross(g, position, &force);
        let moment = plus(g, &moment, &lever);
        (force, moment)
    }
}

fn link_frame(g: &mut Graph, q: ExprId, quarter_turns: i64, length: ExprId, offset: ExprId) -> (Matrix, Vector) {
    let (sine, cosine) = (g.sin(q), g.cos(q));
    let (zero, minus_sine) = (g.zero(), g.neg(sine));
    let cosine_twist = g.integer(i64::from(quarter_turns == 0));
    let sine_twist = g.integer(quarter_turns);
    let minus_sine_twist = g.neg(sine_twist);
    let rotation = vec![
        vec![cosine, minus_sine, zero],
        vec![g.mul(sine, cosine_twist), g.mul(cosine, cosine_twist), minus_sine_twist],
        vec![g.mul(sine, sine_twist), g.mul(cosine, sine_twist), cosine_twist],
    ];
    let position = vec![length, g.mul(minus_sine_twist, offset), g.mul(cosine_twist, offset)];
    (rotation, position)
}

/// 2 (p·y) 1 − p yᵀ − y pᵀ.
fn steiner_terms(g: &mut Graph, p: &Vector, y: &Vector) -> Matrix {
    let products: Matrix = p.iter().map(|&a| scaled(g, a, y)).collect();
    let two = g.integer(2);
    let mut entry = |i: usize, j: usize| {
        if i == j {
            let sum = g.add(products[(i + 1) % 3][(i + 1) % 3], products[(i + 2) % 3][(i + 2) % 3]);
            g.mul(two, sum)
        } else {
            let sum = g.add(products[i][j], products[j][i]);
            g.neg(sum)
        }
    };
    (0..3).map(|i| (0..3).map(|j| entry(i, j)).collect()).collect()
}

/// The matrix with ω' = 2 L e' in body axes.
fn l_matrix(g: &mut Graph, e: &Vector) -> Matrix {
    let minus: Vector = e.iter().map(|&x| g.neg(x)).collect();
    vec![
        vec![minus[1], e[0], e[3], minus[2]],
        vec![minus[2], minus[3], e[0], e[1]],
        vec![minus[3], e[2], minus[1], e[0]],
    ]
}

fn symbols(g: &mut Graph, name: &str, count: usize, stage: Stage) -> Vector {
    (0..count).map(|k| g.symbol(&format!("{name}{k}"), stage)).collect()
}

fn symmetric(g: &mut Graph, name: &str) -> Matrix {
    let mut entry = |i: usize, j: usize| g.symbol(&format!("{name}{}{}", i.min(j), i.max(j)), Stage::Parameter);
    (0..3).map(|i| (0..3).map(|j| entry(i, j)).collect()).collect()
}

fn diagonal(g: &mut Graph, name: &str) -> Matrix {
    let zero = g.zero();
    let mut entry = |i: usize, j: usize| if i == j { g.symbol(&format!("{name}{i}"), Stage::Parameter) } else { zero };
    (0..3).map(|i| (0..3).map(|j| entry(i, j)).collect()).collect()
}

fn times(g: &mut Graph, a: &Matrix, b: &Matrix) -> Matrix {
    let columns = transposed(b);
    a.iter().map(|row| columns.iter().map(|column| g.dot(row, column)).collect()).collect()
}

fn apply(g: &mut Graph, a: &Matrix, x: &Vector) -> Vector {
    a.iter().map(|row| g.dot(row, x)).collect()
}

fn scaled(g: &mut Graph, factor: ExprId, x: &Vector) -> Vector {
    x.iter().map(|&entry| g.mul(factor, entry)).collect()
}

fn plus(g: &mut Graph, a: &Vector, b: &Vector) -> Vector {
    a.iter().zip(b).map(|(&x, &y)| g.add(x, y)).collect()
}

fn cross(g: &mut Graph, a: &Vector, b: &Vector) -> Vector {
    (0..3)
        .map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let (first, second) = (g.mul(a[j], b[k]), g.mul(a[k], b[j]));
            g.sub(first, second)
        })
        .collect()
}

fn transposed(a: &Matrix) -> Matrix {
    (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

fn upper_triangle(a: &Matrix) -> Vector {
    (0..a.len()).flat_map(|i| a[i][i..].iter().copied()).collect()
}
