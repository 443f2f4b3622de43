#!/usr/bin/env python3
"""Times and operations of the dynamics of trees: this compiler's Rust beside CasADi's C and Pinocchio's C++.

Needs `pip install pin casadi cmeel-eigen`, gcc, g++ and cargo. A tree is one of `verify/data/opcounts`, or a description:
FILE.urdf on the ground, FILE.urdf:floating with a free base. Of descriptions dampings and `mimic`, which other tools do
not have, are left out, angles such as 1.5708 are right ones, and sliders, such as fingers, are fixed. CasADi's C is
compiled with `gcc -O3 -march=native`, Pinocchio's templates likewise; the models are imported, with fused multiply-add,
and compiled with `-C opt-level=3 -C target-cpu=native` in a project of their own in a temporary folder. One program calls
all in turns, on one core, compares their results and prints times and ratios. `--counts` prints operations alone,
`--without-casadi` leaves out what takes gcc minutes.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import casadi as cs
import numpy as np
import pinocchio as pin

import casadi_kernels
from robots import undamped

ROOT = Path(__file__).resolve().parents[2]
# The trees of the repository, and whether they have a free base.
TREES = {"arm7": False, "quadruped": True, "arm6": False}
# Each kernel with our name of it; CasADi has two forms of the last.
KERNELS = {
    "crba": "mass_matrix", "nle": "nonlinear_effects", "rnea": "inverse_dynamics", "aba": "forward_dynamics",
    "drnea": "inverse_dynamics_derivatives", "daba": "forward_dynamics_derivatives",
    "daba_structured": "forward_dynamics_derivatives",
}
PROVIDED = "nonlinear_effects,inverse_dynamics,forward_dynamics," \
    "inverse_dynamics_derivatives,forward_dynamics_derivatives"


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def text_of(*command):
    return run(*command, cwd=ROOT, capture_output=True, text=True).stdout


def tidy(text):
    """A description with what all tools read alike, and without what is drawn."""
    text = re.sub(r"<(visual|collision|transmission)\b.*?</\1>", "", undamped(text), flags=re.DOTALL)
    text = text.replace('type="continuous"', 'type="revolute"').replace('type="prismatic"', 'type="fixed"')

    def right(match):
        angles = [float(angle) for angle in match[1].split()]
        turns = [round(angle / (math.pi / 2)) for angle in angles]
        near = [turn * math.pi / 2 if abs(turn * math.pi / 2 - angle) < 1e-4 else angle
                for turn, angle in zip(turns, angles)]
        return f'rpy="{" ".join(map(repr, near))}"'

    return re.sub(r'rpy="([^"]*)"', right, text)


class Robot:
    """A tree: its description, our model of it, and where our channels stand among Pinocchio's."""

    def __init__(self, argument, folder, hamel, fuse):
        if argument in TREES:
            self.name, self.is_floating = argument, TREES[argument]
            text = (ROOT / "verify" / "data" / "opcounts" / f"{argument}.urdf").read_text()
        else:
            path, _, base = argument.partition(":")
            self.name, self.is_floating = re.sub(r"\W", "_", Path(path).stem), base == "floating"
            text = tidy(Path(path).read_text())
        urdf = folder / f"{self.name}.urdf"
        urdf.write_text(text)
        self.tree = casadi_kernels.Tree(str(urdf), self.is_floating)
        floating = ["--floating"] if self.is_floating else []
        self.text = text_of(*hamel, "import", str(urdf), "--provide", PROVIDED, *floating)
        if fuse:
            self.text = self.text.replace("coordinates joint;", "coordinates joint; fused_multiply_add;")
        self.model = re.search(r"pub model (\w+)", self.text)[1]
        self.q, self.v = [], []
        for line in text_of(*hamel, "inspect", "--coordinates", str(urdf), *floating).splitlines():
            words = line.split()
            if words[0] in ("q", "v"):
                places = self.q if words[0] == "q" else self.v
            else:
                places.append(int(words[-1]))
        # Operations are counted without fused ones, as CasADi's.
        model = folder / f"{self.name}.rs"
        model.write_text(self.text.replace(" fused_multiply_add;", ""))
        counts = text_of(*hamel, "inspect", "--stats", str(model))
        self.operations = {kernel: int(re.search(rf"^{ours}[ 0-9].* (\d+) +\d+$", counts, re.MULTILINE)[1])
                           for kernel, ours in KERNELS.items()}


def print_counts(robot, functions):
    for kernel, function in functions.items():
        theirs = sum(casadi_kernels.operations(function))
        print(f"| {robot.name} {kernel} | {robot.operations[kernel]} | {theirs} | {robot.operations[kernel] / theirs:.2f} |",
              flush=True)


def write_casadi(folder, functions, name):
    """C code of all kernels, compiled."""
    generator = cs.CodeGenerator(f"{name}.c", {"with_header": False})
    for function in functions.values():
        generator.add(function)
    generator.generate(str(folder) + os.sep)
    run("gcc", "-O3", "-march=native", "-c", folder / f"{name}.c", "-o", folder / f"{name}.o")
    return folder / f"{name}.o"


def write_pinocchio(folder, robots):
    """Pinocchio's algorithms for trees whose numbers are in the program, compiled."""
    cases = []
    for robot in robots:
        model, lines = robot.tree.model, []
        for i in range(1, model.njoints):
            joint, place, body = model.joints[i], model.jointPlacements[i], model.inertias[i]
            rows = [", ".join(repr(float(entry)) for entry in np.ravel(matrix))
                    for matrix in (place.rotation, place.translation, body.lever, body.inertia)]
            lines.append(f"add(model, {model.parents[i]}, {joint.shortname()}(), {{{rows[0]}}}, {{{rows[1]}}}, "
                         f"{body.mass!r}, {{{rows[2]}}}, {{{rows[3]}}});")
        cases.append("\n".join([f"case {len(cases)}:", *lines, "break;"]))
    source = folder / "pinocchio.cpp"
    source.write_text(PINOCCHIO.replace("ROBOTS", str(len(robots))).replace("CASES", "\n".join(cases)))
    include = Path(pin.__file__).resolve().parents[4] / "include"
    run("g++", "-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
        "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=10", f"-I{include}",
        f"-I{include / 'eigen3'}", "-c", source, "-o", source.with_suffix(".o"))
    return source.with_suffix(".o")


def patterns(function):
    """Rows and columns of the values of each output as Rust vectors, in CasADi's order: column by column."""
    outputs = []
    for k in range(function.n_out()):
        rows, columns = function.sparsity_out(k).get_triplet()
        outputs.append(f"vec!{list(zip(rows, columns))}")
    return ", ".join(outputs)


def rust_program(made):
    """The program that calls all."""
    text = [PRELUDE]
    text.append("unsafe extern \"C\" {\n"
                "    fn pinocchio_call(robot: i32, kernel: i32, q: *const f64, v: *const f64, x: *const f64);\n"
                "    fn pinocchio_result(robot: i32, kernel: i32, output: i32, values: *mut f64);\n}\n")
    for place, (robot, functions) in enumerate(made):
        name = robot.name
        text.append(f"mod {name} {{\n{robot.text}\n}}\n")
        text.append('unsafe extern "C" {\n')
        for function in functions.values():
            text.append(f"    fn {function.name()}(arg: *const *const f64, res: *const *mut f64, iw: *mut i64, w: *mut f64, "
                        "mem: i32) -> i32;\n")
        text.append(f"}}\nfn {name}_rows() {{\n    let model = {name}::{robot.model}::new(Default::default());\n"
                    f"    let q_order: &[usize] = &{robot.q};\n    let v_order: &[usize] = &{robot.v};\n")
        kernels = functions or [kernel for kernel in KERNELS if kernel != "daba_structured"]
        for kernel in kernels:
            function = functions.get(kernel)
            casadi = "None::<Casadi>" if function is None else CASADI.format(
                symbol=function.name(), patterns=patterns(function), w=max(function.sz_w(), 1),
                iw=max(function.sz_iw(), 1), operations=sum(casadi_kernels.operations(function)))
            text.append(CASE.format(
                name=name, kernel=kernel, casadi=casadi, robot=place, index=list(KERNELS).index(kernel), nq=robot.tree.nq,
                nv=robot.tree.nv, operations=robot.operations[kernel], **OURS[kernel]))
        text.append("}\n")
    calls = "".join(f"    {robot.name}_rows();\n" for robot, _ in made)
    text.append(f"fn main() {{\n    head();\n{calls}}}\n")
    return "".join(text)


# How our methods are called, and how many results they have.
OURS = {
    "crba": dict(results="[vec![0.0; matrix]]", call="model.mass_matrix(q, &mut r[0])", pattern="true"),
    "nle": dict(results="[vec![0.0; n]]", call="model.nonlinear_effects(0.0, q, v, &mut r[0])", pattern="false"),
    "rnea": dict(results="[vec![0.0; n]]", call="model.inverse_dynamics(0.0, q, v, x, &mut r[0])", pattern="false"),
    "aba": dict(results="[vec![0.0; n]]", call="model.forward_dynamics(0.0, q, v, x, &mut r[0])", pattern="false"),
    "drnea": dict(
        results="[vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]]",
        call="{ let [a, b, c] = r; model.inverse_dynamics_derivatives(0.0, q, v, x, a, b, c) }", pattern="false"),
    "daba": dict(
        results="[vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]]",
        call="{ let [a, b, c] = r; model.forward_dynamics_derivatives(0.0, q, v, x, a, b, c) }", pattern="false"),
}
# CasADi has two forms of these, we have the one that the compiler has chosen.
OURS["daba_structured"] = OURS["daba"]

PINOCCHIO = """// Generated by `benches/peers/kernel_times.py`.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>

namespace {
using namespace pinocchio;
typedef Eigen::Matrix<double, 3, 3, Eigen::RowMajor> Rows;
typedef std::array<double, 9> Nine;
typedef std::array<double, 3> Three;

template <typename Joint>
void add(Model &model, int parent, Joint joint, Nine rotation, Three place, double mass, Three centre, Nine inertia) {
    auto matrix = [](Nine &entries) { return Eigen::Matrix3d(Eigen::Map<Rows>(entries.data())); };
    auto vector = [](Three &entries) { return Eigen::Vector3d(Eigen::Map<Eigen::Vector3d>(entries.data())); };
    auto name = "joint" + std::to_string(model.njoints);
    auto id = model.addJoint(parent, joint, SE3(matrix(rotation), vector(place)), name);
    model.appendBodyToJoint(id, Inertia(mass, vector(centre), matrix(inertia)), SE3::Identity());
}

Model build(int robot) {
    Model model;
    switch (robot) {
CASES
    }
    return model;
}

struct Robot {
    Model model;
    Data data;
    Robot(int robot) : model(build(robot)), data(model) {}
};

Robot &known(int robot) {
    static std::vector<Robot> robots = [] {
        std::vector<Robot> made;
        for (int k = 0; k < ROBOTS; ++k) made.emplace_back(k);
        return made;
    }();
    return robots[robot];
}
}

extern "C" void pinocchio_call(int robot, int kernel, const double *q_, const double *v_, const double *x_) {
    Model &model = known(robot).model;
    Data &data = known(robot).data;
    Eigen::Map<const Eigen::VectorXd> q(q_, model.nq), v(v_, model.nv), x(x_, model.nv);
    switch (kernel) {
    case 0: crba(model, data, q, Convention::LOCAL); break;
    case 1: nonLinearEffects(model, data, q, v); break;
    case 2: rnea(model, data, q, v, x); break;
    case 3: aba(model, data, q, v, x, Convention::LOCAL); break;
    case 4: computeRNEADerivatives(model, data, q, v, x); break;
    default: computeABADerivatives(model, data, q, v, x);
    }
}

extern "C" void pinocchio_result(int robot, int kernel, int output, double *values) {
    Data &data = known(robot).data;
    int n = known(robot).model.nv;
    Eigen::MatrixXd m;
    switch (kernel) {
    case 0: m = data.M.selfadjointView<Eigen::Upper>(); break;
    case 1: m = data.nle; break;
    case 2: m = data.tau; break;
    case 3: m = data.ddq; break;
    case 4: m = output == 0 ? Eigen::MatrixXd(data.dtau_dq) : output == 1 ? Eigen::MatrixXd(data.dtau_dv)
              : Eigen::MatrixXd(data.M.selfadjointView<Eigen::Upper>()); break;
    default: m = output == 0 ? Eigen::MatrixXd(data.ddq_dq) : output == 1 ? Eigen::MatrixXd(data.ddq_dv)
              : Eigen::MatrixXd(data.Minv.selfadjointView<Eigen::Upper>());
    }
    for (int i = 0; i < m.rows(); ++i)
        for (int j = 0; j < m.cols(); ++j)
            values[i * m.cols() + j] = m(i, j);
}
"""

PRELUDE = """//! Generated by `benches/peers/kernel_times.py`.
use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

use hamel::Model;

const ROUNDS: usize = 400;
const STATES: usize = 16;

/// CasADi's function, and rows and columns of its outputs.
struct Casadi {
    function: unsafe extern "C" fn(*const *const f64, *const *mut f64, *mut i64, *mut f64, i32) -> i32,
    patterns: Vec<Vec<(usize, usize)>>,
    w: usize,
    iw: usize,
    operations: usize,
}

/// States in the order of the other tools: quaternions of unit length, the rest between -1 and 1.
fn states(n: usize, seed: u64, is_position: bool, is_free: bool) -> Vec<Vec<f64>> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..STATES).map(|_| {
        let mut values: Vec<f64> = (0..n).map(|_| next()).collect();
        if is_position && is_free {
            let norm = values[3..7].iter().map(|e| e * e).sum::<f64>().sqrt();
            values[3..7].iter_mut().for_each(|e| *e /= norm);
        }
        values
    }).collect()
}

fn ordered(values: &[Vec<f64>], order: &[usize]) -> Vec<Vec<f64>> {
    values.iter().map(|values| order.iter().map(|&i| values[i]).collect()).collect()
}

fn time(repeats: usize, call: &mut dyn FnMut(usize)) -> f64 {
    let start = Instant::now();
    for i in 0..repeats { call(i % STATES); }
    start.elapsed().as_secs_f64() * 1e9 / repeats as f64
}

/// Times of each in turns, in increasing order.
fn measure(calls: &mut [&mut dyn FnMut(usize)]) -> Vec<Vec<f64>> {
    let once = calls.iter_mut().map(|call| time(STATES, *call)).fold(0.0, f64::max);
    let repeats = ((100_000.0 / once) as usize).max(STATES);
    let mut times = vec![Vec::new(); calls.len()];
    for round in 0..ROUNDS {
        for k in 0..calls.len() {
            let k = (k + round) % calls.len();
            times[k].push(time(repeats, calls[k]));
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times
}

fn largest(found: &[f64], expected: &[f64]) -> f64 {
    let scale = expected.iter().fold(0.0f64, |s, v| s.max(v.abs()));
    found.iter().zip(expected).fold(0.0f64, |d, (a, b)| d.max((a - b).abs() / scale))
}

fn head() {
    println!("| kernel | ours, ns (median) | Pinocchio, ns (median) | ratio | CasADi, ns (median) | ratio | our operations | CasADi's | ratio | deviation from Pinocchio | from CasADi |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
}
"""

# Of the free base the program in C has the derivatives as we have: along its axes.
CASADI = """Some(Casadi {{ function: {symbol}, patterns: vec![{patterns}], w: {w}, iw: {iw}, operations: {operations} }})"""

CASE = """    {{
        let n = {nv};
        let matrix = model.describe().mass_matrix.nnz();
        let _ = (n, matrix);
        let (qs, vs, xs) = (states({nq}, 1, true, {nq} > {nv}), states({nv}, 2, false, false), states({nv}, 3, false, false));
        let (q_ours, v_ours, x_ours) = (ordered(&qs, q_order), ordered(&vs, v_order), ordered(&xs, v_order));
        let casadi = {casadi};
        let (mut w, mut iw) = casadi.as_ref().map_or((vec![], vec![]), |c| (vec![0.0; c.w], vec![0i64; c.iw]));
        let mut sparse: Vec<Vec<f64>> =
            casadi.as_ref().map_or(vec![], |c| c.patterns.iter().map(|p| vec![0.0; p.len()]).collect());
        let pointers: Vec<*mut f64> = sparse.iter_mut().map(|r| r.as_mut_ptr()).collect();
        let mut call_casadi = |i: usize| {{
            let arguments = [qs[i].as_ptr(), vs[i].as_ptr(), xs[i].as_ptr()];
            let function = casadi.as_ref().unwrap().function;
            unsafe {{ function(black_box(arguments.as_ptr()), pointers.as_ptr(), iw.as_mut_ptr(), w.as_mut_ptr(), 0); }}
        }};
        let mut call_pinocchio = |i: usize| unsafe {{
            pinocchio_call({robot}, {index}, black_box(qs[i].as_ptr()), black_box(vs[i].as_ptr()), black_box(xs[i].as_ptr()));
        }};
        let results = RefCell::new({results});
        let mut call_ours = |i: usize| {{
            let r = &mut *results.borrow_mut();
            let (q, v, x) = (black_box(&q_ours[i][..]), black_box(&v_ours[i][..]), black_box(&x_ours[i][..]));
            let _ = (q, v, x);
            {call};
            black_box(r);
        }};
        let mut calls: Vec<&mut dyn FnMut(usize)> = vec![&mut call_ours, &mut call_pinocchio];
        if casadi.is_some() {{ calls.push(&mut call_casadi); }}
        let times = measure(&mut calls);
        let (mut from_pinocchio, mut from_casadi) = (0.0f64, 0.0f64);
        for i in 0..STATES {{
            call_ours(i);
            call_pinocchio(i);
            if casadi.is_some() {{ call_casadi(i); }}
            let r = results.borrow();
            for k in 0..r.len() {{
                let columns = if {pattern} || r[k].len() > n {{ n }} else {{ 1 }};
                let mut found = vec![0.0; n * columns];
                if {pattern} {{
                    let pattern = &model.describe().mass_matrix;
                    for ((row, column), value) in pattern.entries().zip(&r[k]) {{
                        found[v_order[row] * n + v_order[column]] = *value;
                    }}
                }} else {{
                    for (place, value) in r[k].iter().enumerate() {{
                        let (row, column) = (place / columns, place % columns);
                        let column = if columns == 1 {{ 0 }} else {{ v_order[column] }};
                        found[v_order[row] * columns + column] = *value;
                    }}
                }}
                let mut dense = vec![0.0; n * columns];
                unsafe {{ pinocchio_result({robot}, {index}, k as i32, dense.as_mut_ptr()) }};
                from_pinocchio = from_pinocchio.max(largest(&found, &dense));
                if let Some(casadi) = &casadi {{
                    dense.fill(0.0);
                    for (&(row, column), place) in casadi.patterns[k].iter().zip(0..) {{
                        dense[row * columns + column] = unsafe {{ *pointers[k].add(place) }};
                    }}
                    from_casadi = from_casadi.max(largest(&found, &dense));
                }}
            }}
        }}
        let middle = |times: &[f64]| times[times.len() / 2];
        let beside = |theirs: &[f64]| format!("{{:.0}} ({{:.0}}) | {{:.2}}", theirs[0], middle(theirs), times[0][0] / theirs[0]);
        let (time, operations, apart) = casadi.as_ref().map_or((" | ".to_owned(), " | ".to_owned(), String::new()), |c| {{
            let ratio = {operations} as f64 / c.operations as f64;
            (beside(&times[2]), format!("{{}} | {{ratio:.2}}", c.operations), format!("{{from_casadi:.0e}}"))
        }});
        println!("| {name} {kernel} | {{:.0}} ({{:.0}}) | {{}} | {{time}} | {operations} | {{operations}} | {{from_pinocchio:.0e}} | {{apart}} |",
            times[0][0], middle(&times[0]), beside(&times[1]));
        assert!(from_pinocchio.max(from_casadi) < 1e-10, "{name} {kernel}: {{from_pinocchio:e}}, {{from_casadi:e}}");
    }}
"""

MANIFEST = """[package]
name = "kernel-times"
version = "0.0.0"
edition = "2024"

[dependencies]
hamel = {{ path = "{root}/runtime", default-features = false, features = ["std", "macros", "simd"] }}

[profile.release]
opt-level = 3

[profile.release.build-override]
opt-level = 1

[workspace]
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", nargs="*", default=["arm7", "quadruped"],
                        help=f"{', '.join(TREES)}, FILE.urdf or FILE.urdf:floating")
    parser.add_argument("--keep", metavar="FOLDER", help="build here and keep what was generated")
    parser.add_argument("--hamel", help="the command `hamel`, if it is built already")
    parser.add_argument("--without-fma", action="store_true", help="no fused multiply-add in our code")
    parser.add_argument("--counts", action="store_true", help="print operations alone")
    parser.add_argument("--without-casadi", action="store_true", help="leave out CasADi")
    arguments = parser.parse_args()
    folder = Path(arguments.keep or tempfile.mkdtemp(prefix="kernel-times-")).resolve()
    (folder / "src").mkdir(parents=True, exist_ok=True)
    hamel = [arguments.hamel] if arguments.hamel else ["cargo", "run", "--release", "--quiet", "--"]
    robots = [Robot(tree, folder, hamel, not arguments.without_fma) for tree in arguments.trees]

    if arguments.counts:
        print("| kernel | our operations | CasADi's | ratio |\n|---|---:|---:|---:|")
    made, objects = [], []
    for robot in robots:
        functions = {} if arguments.without_casadi else casadi_kernels.functions(robot.tree, robot.name)
        if arguments.counts:
            print_counts(robot, functions)
            continue
        made.append((robot, functions))
        if functions:
            objects.append(write_casadi(folder, functions, robot.name))
    if arguments.counts:
        return
    objects.append(write_pinocchio(folder, robots))

    (folder / "Cargo.toml").write_text(MANIFEST.format(root=ROOT))
    (folder / "src" / "main.rs").write_text(rust_program(made))
    links = [f"-Clink-arg={path}" for path in objects] + ["-Clink-arg=-lstdc++", "-Clink-arg=-lm"]
    run("cargo", "build", "--release", "--quiet", cwd=folder,
        env={**os.environ, "CARGO_TARGET_DIR": str(folder / "target"),
             "RUSTFLAGS": " ".join(["-Ctarget-cpu=native", *links])})
    binary = folder / "target" / "release" / "kernel-times"
    pinned = ["taskset", "-c", str(sorted(os.sched_getaffinity(0))[-1])] if sys.platform == "linux" else []
    run(*pinned, binary)


if __name__ == "__main__":
    main()
