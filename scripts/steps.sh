# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts in this folder: a step prints one line with its time to stderr; its output goes
# to a log that is shown only if the step fails.

fail() {  # fail EXIT_CODE LINE...
  local code=$1
  shift
  printf '%s\n' "$@" >&2
  exit "$code"
}

step() {  # step TITLE LOG COMMAND...
  local title=$1 log=$2 begin=$EPOCHREALTIME code=0
  shift 2
  mkdir -p "$(dirname "$log")"
  printf '%-44s ' "$title" >&2
  "$@" >"$log" 2>&1 || code=$?
  if ((code != 0)); then
    printf 'failed after %s\n\n' "$(seconds_since "$begin")" >&2
    # Compilers name the error before the lines that follow from it.
    { grep -m 5 -E '(^|[^a-z])(error|fatal error|E):|CMake Error' "$log" || true; tail -n 40 "$log"; } >&2
    fail 1 '' "This failed: $*" "All of its output: $log"
  fi
  seconds_since "$begin" >&2
}

seconds_since() {  # seconds_since BEGIN, a value of EPOCHREALTIME
  local microseconds=$((${EPOCHREALTIME/[^0-9]/} - ${1/[^0-9]/}))
  printf '%d.%d s\n' $((microseconds / 1000000)) $((microseconds / 100000 % 10))
}

python_tools() {  # python_tools NAME: installs scripts/requirements/NAME.txt into build/NAME-venv
  local venv=build/$1-venv list=scripts/requirements/$1.txt
  [[ ! $list -nt $venv/made ]] || { step "Install the tools of $1 from PyPI" "$venv.log" make_venv "$venv" "$list" && touch "$venv/made"; }
}

make_venv() {
  python3 -m venv "$1" || return
  if [[ $1 != */all-venv ]]; then
    "$1/bin/pip" install --quiet --requirement "$2"
  else  # pip would try versions of hundreds of packages for half an hour.
    "$1/bin/pip" install --quiet uv && "$1/bin/uv" pip install --quiet --python "$1/bin/python" --requirement "$2"
  fi
}

jobs_to_use() {  # One job per CPU, as long as each has 1 GiB of memory.
  local by_memory
  by_memory=$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo)
  local cpus
  cpus=$(nproc)
  echo $((by_memory < 1 ? 1 : by_memory < cpus ? by_memory : cpus))
}
