#!/usr/bin/env bash
# Everything worth knowing of one machine with a GPU, in 9 minutes at most, most valuable first:
#
#   bench/gpu.sh FOLDER          FOLDER gets a log of each step, its tables, and steps.csv: step, exit status, seconds
#   bench/gpu.sh FOLDER --tiny   the same steps on the CPU, in a minute, to see that each of them runs
#
# What a step wrote stays when it is stopped. PYTHON names the interpreter (default: python3), LAST a command for the time
# that is left, such as a training that is too long for a CPU. Beyond PyTorch 2.11 and its usual companions it needs the
# packages that `bench/gpu.sh --missing` lists; a machine without a network gets them as wheels.
set -uo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}

if [ "${1:-}" = --missing ]; then
  exec "$PYTHON" - <<'CODE'
from importlib.metadata import PackageNotFoundError, version
for line in open("requirements.lock"):
    name, _, wanted = line.split("#")[0].split(";")[0].rstrip(" \\\n").partition("==")
    if line.startswith(" "):
        continue  # a digest
    try:
        name and version(name)
    except PackageNotFoundError:
        print(f"{name}=={wanted}")
CODE
fi
folder=${1:?usage: bench/gpu.sh FOLDER [--tiny]}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ "${2:-}" = --tiny ]; then
  device=cpu cores=2 tests=(-k "clipped or residual") sizes=(--seconds 0.1 --tiny) papers=(scalable_pate_table2)
else
  device=cuda cores=$(nproc) tests=() sizes=(--seconds 8)
  papers=(scalable_pate dp_mac residual_perturbation autoencoded_pate compressed_pate)
fi
echo step,status,seconds > "$folder/steps.csv"

step() { # NAME SECONDS COMMAND...: run a command for at most so long
  local name=$1 limit=$2 start=$SECONDS
  shift 2
  timeout --kill-after=5 "$limit" "$@" > "$folder/$name.log" 2>&1
  echo "$name,$?,$((SECONDS - start))" | tee -a "$folder/steps.csv"
}

export OMP_NUM_THREADS=1 PYTHONUNBUFFERED=1
[ $device = cuda ] && step machine 10 nvidia-smi
# every training on the device: finite numbers, and the same bytes twice
step trainings 90 "$PYTHON" -m pytest -q -p no:cacheprovider tests/accelerator/test_cuda.py --on $device "${tests[@]}"
step throughput 120 "$PYTHON" -m bench.gpu --device $device "${sizes[@]}" --table "$folder/throughput.csv"
[ $device = cuda ] && step one_core 60 "$PYTHON" -m bench.gpu --device cpu --seconds 0.1 --table "$folder/one_core.csv"
for paper in "${papers[@]}"; do
  step "quick_$paper" 50 "$PYTHON" -m snakemake --cores "$cores" --workflow-profile profiles/gpu \
    --config device=$device preset=gpu -- "$paper"
done
if [ -n "${LAST:-}" ] && [ $SECONDS -lt 500 ]; then
  step last $((530 - SECONDS)) bash -c "$LAST"
fi
awk -F, 'NR > 1 && $2 != 0 { failed = 1 } END { exit failed }' "$folder/steps.csv"
