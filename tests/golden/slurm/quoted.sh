#!/bin/bash
# What? rm -rf /
# Submit with: bash THIS_FILE [OPTIONS OF sbatch, such as --partition=gpu --account=…]
set -euo pipefail

sweep=$(sbatch --parsable --job-name=a__touch_x --array=1-4 --cpus-per-task=9 "$@" <<'END_OF_SCRIPT'
#!/bin/bash
#SBATCH --job-name=feedrate-sweep
#SBATCH --output=%x-%A_%a.out
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@60
#SBATCH --requeue

set -- 'my sweeps/it'\''s $(touch x).yaml' '--axis=emulate=`touch x`,"b"' --out '~/r; touch x #'
set -uo pipefail
"${FEEDRATE:-feedrate}" sweep "$@" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --continue &
sweep=$!
trap 'signalled=1; kill -USR1 "$sweep"' USR1
trap 'signalled=1' TERM  # Slurm also sends it to the sweep.

# A signal ends `wait`, not the sweep.
signalled=1
while ((signalled)); do
  signalled=0
  wait "$sweep"
  code=$?
done
if ((code == 75)); then scontrol requeue "$SLURM_JOB_ID"; fi
exit "$code"
END_OF_SCRIPT
)

sbatch --job-name=a__touch_x-merge --dependency="afterany:${sweep%%;*}" "$@" <<'END_OF_SCRIPT'
#!/bin/bash
#SBATCH --job-name=feedrate-merge
#SBATCH --output=%x-%j.out
#SBATCH --time=00:10:00

set -- '~/r; touch x #'
set -euo pipefail
exec "${FEEDRATE:-feedrate}" merge "$@"
END_OF_SCRIPT
