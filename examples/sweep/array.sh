#!/usr/bin/env bash
# One part of a sweep, as one job of an array; a job that is submitted again goes on where it was.
#SBATCH --job-name=pendulum
#SBATCH --cpus-per-task=4
#SBATCH --time=00:30:00
#SBATCH --requeue
set -euo pipefail

# Slurm runs a copy of this file; the model stands where the job was submitted.
here=${SLURM_SUBMIT_DIR:+$SLURM_SUBMIT_DIR/examples/sweep}
part=$SLURM_ARRAY_TASK_ID
of=$SLURM_ARRAY_TASK_COUNT

code=0
"${HAMEL:-hamel}" sweep "${here:-$(dirname "$0")}/pendulum.model" \
    --vary mass=0.5..3 --vary damping=log:0.01..10 --vary shoulder.angle=-1.5..1.5 --sample sobol:4096 \
    --outputs tip_y.max,energy.range,elbow.angle.peak --until 10 \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --shard "$part/$of" --out "part$part.parquet" || code=$?
# Failed cases are results.
[ "$code" -lt 10 ] && exit "$code"
exit 0
