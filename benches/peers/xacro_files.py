#!/usr/bin/env python3
"""Whether descriptions with macros are expanded as xacro does: `xacro_files.py FOLDER…`, and random ones.

Needs `pip install xacro`. Every file under the folders that xacro expands to a robot is imported twice, as it is and as xacro
expanded it; both texts of models must be the same, to the last digit. Packages are the folders with a `package.xml`.
`--program` names a build of the example `values` of `hamel-import`. `--record FOLDER` writes random ones there, and beside
all of its descriptions what xacro makes of them, as `import/tests/xacro` has them.
"""

import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import xacro
import xacro.substitution_args as substitution

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {}
ARGUMENTS = {}


def find(name):
    if name not in PACKAGES:
        raise ValueError(f"no package {name}")
    return PACKAGES[name]


substitution._eval_find = find


def expanded(path):
    # Messages of xacro about what is deprecated are of no interest.
    xacro.warning = lambda *args, **kwargs: None
    return xacro.process_file(str(path), mappings=dict(ARGUMENTS), verbosity=0).toprettyxml(indent=" ")


def model(program, path):
    packages = [word for name, folder in PACKAGES.items() for word in ("--package", f"{name}={folder}")]
    # Arguments that a description does not have are refused.
    known = ARGUMENTS if path.suffix == ".xacro" else {}
    named = {name: value for name, value in known.items() if f"arg {name})" in path.read_text()}
    given = [word for name, value in named.items() for word in ("--arg", f"{name}={value}")]
    return subprocess.run([program, str(path), "--text", *packages, *given], capture_output=True, text=True, input="")


class Writer:
    """Arms of links by macros, with everything that is read, by chance."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def number(self, depth=2):
        kind = self.r.randrange(9 if depth else 2)
        a = lambda: self.number(depth - 1)
        return [
            lambda: f"{self.r.uniform(0.1, 2):.{self.r.choice([1, 3, 12])}f}",
            lambda: self.r.choice(["length", "half", "n", "pi", "7", "scale"]),
            lambda: f"({a()} + {a()})",
            lambda: f"{a()} * {a()}",
            lambda: f"({a()} - {a()})",
            lambda: f"{a()} / (1 + abs_of)",
            lambda: f"{self.r.choice(['sin', 'cos', 'radians', 'math.atan', 'fabs'])}({a()})",
            lambda: f"sqrt(({a()})**2)",
            lambda: f"({a()} if {a()} {self.r.choice(['&lt;', '>=', '=='])} {a()} else {a()})",
        ][kind]()

    def expression(self):
        return "${" + self.number() + "}"

    def triple(self):
        return " ".join(self.r.choice([self.expression(), "0", "0.5", "${-half}"]) for _ in range(3))

    def model(self):
        links = self.r.randrange(2, 5)
        calls = "".join(self.call(k) for k in range(links))
        return f"""<?xml version="1.0"?>
<robot name="random" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="count" default="{self.r.randrange(1, 4)}"/>
  <xacro:property name="length" value="{self.r.uniform(0.5, 2):.3f}"/>
  <xacro:property name="half" value="${{length/2}}"/>
  <xacro:property name="abs_of" value="${{fabs({self.number(1).replace('abs_of', '1')})}}"/>
  <xacro:property name="n" value="$(arg count)"/>
  <xacro:property name="scale" value="{self.r.choice(['1e-1', '2', '0.30', '.5'])}"/>
  <xacro:property name="place"><origin xyz="{self.triple()}" rpy="0 0 ${{n}}"/></xacro:property>
  <xacro:macro name="mass" params="value:=1 *at **more">
    <inertial>
      <xacro:insert_block name="at"/>
      <mass value="${{value}}"/>
      <xacro:insert_block name="more"/>
    </inertial>
  </xacro:macro>
  <xacro:macro name="part" params="name parent axis:='0 0 1' kind:=^|continuous heavy:=${{n}} scale">
    <xacro:property name="half" value="${{scale*{self.number(1).replace('half', 'length')}}}"/>
    <link name="${{name}}">
      <xacro:mass value="${{1 + fabs({self.number()})}}">
        <xacro:if value="${{heavy > 2}}"><origin xyz="{self.triple()}"/></xacro:if>
        <xacro:unless value="${{heavy > 2}}"><xacro:insert_block name="place"/></xacro:unless>
        <inertias><inertia ixx="${{2 + n*0.1}}" ixy="0" ixz="0" iyy="${{2 + half*0}}" iyz="0" izz="2"/></inertias>
      </xacro:mass>
    </link>
    <joint name="${{name + '_joint'}}" type="${{kind}}">
      <parent link="${{parent}}"/><child link="${{name}}"/>
      <xacro:insert_block name="place"/><axis xyz="${{axis}}"/>
    </joint>
  </xacro:macro>
  <link name="base"/>
{calls}</robot>
"""

    def call(self, k):
        parent = f"link{self.r.randrange(k)}" if k else "base"
        more = self.r.choice(["", f' axis="{self.r.choice(["1 0 0", "0 1 0"])}"', f' heavy="{self.r.choice([1, 5, "true"])}"'])
        macro = self.r.choice(["part", "call"])
        name = ' macro="part"' if macro == "call" else ""
        own = f'  <xacro:{macro}{name} name="link{k}" parent="{parent}" scale="{self.expression()}"{more}/>\n'
        return f'  <xacro:if value="${{n &gt;= 1 and {k} &lt; 9}}">\n{own}  </xacro:if>\n' if self.r.randrange(3) == 0 else own


def compare(program, path):
    """What comes of both: `same`, `refused` with the same words, `left out` where xacro refuses, or `FAILED`; and why."""
    try:
        text = expanded(path)
    except Exception as error:
        return "left out", f"xacro: {error}".splitlines()[0]
    # Files of meshes are named from where they are.
    other = path.with_name(f"expanded-{os.getpid()}.urdf")
    try:
        other.write_text(text)
        whole, own = model(program, other), model(program, path)
    finally:
        other.unlink(missing_ok=True)
    if whole.returncode == own.returncode == 0:
        return ("same", "") if own.stdout == whole.stdout else ("FAILED", "differs")
    words = [re.sub(r"^[0-9]+:[0-9]+: |`[^`]*` in `[^`]*`: ", "", run.stderr, flags=re.M) for run in (own, whole)]
    words = [re.sub(r"(`[^`]*`) of `[^`]*xacro`", r"\1", text) for text in words]
    first = own.stderr.splitlines()[:1]
    return ("refused", "".join(first)) if sorted(words[0].split("\n")) == sorted(words[1].split("\n")) else ("FAILED", own.stderr + whole.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*", help="folders with descriptions")
    parser.add_argument("--random", type=int, default=0, help="how many random ones")
    parser.add_argument("--program", type=Path, help="a build of the example `values`")
    parser.add_argument("--record", type=Path, help="where random ones are written, with what xacro makes of all")
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE", help="an argument of all descriptions")
    arguments = parser.parse_args()
    program = arguments.program
    if program is None:
        build = ["cargo", "build", "--release", "-p", "hamel-import", "--example", "values"]
        subprocess.run(build, check=True, cwd=ROOT)
        program = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/values"
    ARGUMENTS.update(argument.split("=", 1) for argument in arguments.arg)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for k in range(arguments.random):
            path = (arguments.record or Path(folder)) / f"random{k}.xacro"
            path.write_text(Writer(k).model())
            paths.append(path)
        for above in filter(None, [*arguments.folders, arguments.record]):
            for package in above.rglob("package.xml"):
                PACKAGES[re.search(r"<name>\s*(.*?)\s*</name>", package.read_text())[1]] = str(package.parent.resolve())
            paths += sorted(above.rglob("*.xacro")) if above != arguments.record else sorted(above.glob("[!r]*.xacro"))
        if arguments.record:
            for path in paths:
                path.with_suffix(".urdf").write_text(expanded(path))
        for path in paths:
            found, why = compare(program, path)
            counts[found] += 1
            print(f"{found:8} {path} {why}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    sys.exit(counts["FAILED"] > 0)


if __name__ == "__main__":
    main()
