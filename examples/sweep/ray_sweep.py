"""A sweep on a Ray cluster: on the one that RAY_ADDRESS names, or on this machine."""

import sys
from pathlib import Path

import hamel

model = hamel.Model.from_file(Path(__file__).parent / "pendulum.model")
table = hamel.sweep(
    model,
    {"mass": "0.5..3", "damping": "log:0.01..10", "shoulder.angle": "-1.5..1.5"},
    sample="sobol:4096",
    outputs=["tip_y.max", "energy.range", "elbow.angle.peak"],
    until=10,
    executor="ray",
    out="pendulum.parquet",
    progress=lambda ended, count: print(f"{ended} of {count}", end="\r", file=sys.stderr),
)
print(table)
print("the highest tip:", table["tip_y.max"].max(), "m")
