#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs what is in this folder, made by scripts/gpu-pack. Needs bash, tar, xz and a driver.
#   run tests [FILTER]      every test; a Catch2 program counts case by case
#   run bench [FILTER]      every benchmark
#   run sanitize [FILTER]   every test under compute-sanitizer's memcheck and racecheck, where that is installed
# FILTER is a part of an entry's name. The last line is `N passed, N failed[, N skipped]`; the exit status is 0 only if something
# passed and nothing failed. With OUT set, results go to $OUT/MODE.json.
set -uo pipefail
pack=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2034  # used by the commands in $pack/entries
data="$pack/data"
mode=${1:-}
filter=${2:-}
limit=${IKRA_PACK_TIMEOUT:-600}

case "$mode" in
  tests | sanitize) kind='test' ;;
  bench) kind=benchmark ;;
  *)
    echo "usage: $0 tests|bench|sanitize [FILTER]" >&2
    exit 2
    ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$pack
# Programs find their libraries beside them, and commands what they name, where programs are unpacked.
pack="$work/pack"
mkdir -p "$pack/bin"
ln -s "$folder/lib" "$pack/lib"
if [ -d "$data" ]; then ln -s "$data" "$pack/data"; fi
tar -C "$pack/bin" -xJf "$folder/programs.tar.xz" || exit 2
passed=0
failed=0
skipped=0
results=()

json_string() { # standard input as a JSON string
  local text
  text=$(tr -d '\000-\010\013\014\016-\037' | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\t/\\t/g' -e 's/\r//g' |
    awk '{ printf "%s%s", (NR > 1 ? "\\n" : ""), $0 }')
  printf '"%s"' "$text"
}

# add_result NAME PASSED FAILED SECONDS LOG [JSON FILE]
add_result() {
  local details=null
  if [ -s "${6:-}" ]; then details=$(cat "$6"); fi
  results+=("{\"name\": $(printf '%s' "$1" | json_string), \"passed\": $2, \"failed\": $3, \"seconds\": $4, \
\"results\": $details, \"output\": $(tail -c 20000 "$5" | json_string)}")
  passed=$((passed + $2))
  failed=$((failed + $3))
}

now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.3f", b - a }'; }

# run_program COMMAND OUTPUT-FILE ERROR-FILE: the command is one that the packer quoted, with $pack, $data and $out in it.
run_program() {
  eval "exec timeout --kill-after=10 $limit $1" >"$2" 2>"$3" </dev/null
}

# catch2_counts REPORT: prints "passed failed" of a Catch2 XML report; nothing if the program did not finish it.
catch2_counts() {
  sed -n 's/.*<OverallResultsCases successes="\([0-9]*\)" failures="\([0-9]*\)".*/\1 \2/p' "$1" | tail -n 1
}

run_entry() { # NAME TYPE COMMAND EXPECTED-COMMAND
  local name=$1 type=$2 command=$3 expected=$4 start status counts good=0 bad=0
  out="$work/out.json" # what {out} stands for
  rm -f "$out"
  start=$(now)
  if [ "$type" = catch2 ]; then
    (run_program "$command -r xml -o $work/report.xml" "$work/found" "$work/log")
    status=$?
    counts=$(catch2_counts "$work/report.xml" 2>/dev/null)
    if [ -n "$counts" ]; then read -r good bad <<<"$counts"; fi
    if [ "$bad" -eq 0 ] && { [ $status -ne 0 ] || [ "$good" -eq 0 ]; }; then bad=1; fi
    if [ "$bad" -ne 0 ]; then cat "$work/report.xml" >>"$work/log" 2>/dev/null; fi
  else
    (run_program "$command" "$work/found" "$work/log")
    status=$?
    if [ $status -eq 0 ] && { [ -z "$expected" ] || prints_expected "$expected"; }; then good=1; else bad=1; fi
  fi
  cat "$work/found" >>"$work/log"
  rm -f "$work/report.xml"
  if [ $status -eq 124 ] || [ $status -eq 137 ]; then echo "stopped after $limit s" >>"$work/log"; fi
  report "$name" "$good" "$bad" "$status" "$start"
}

# Another program must print on standard output what the one before did, and something.
prints_expected() {
  (run_program "$1" "$work/expected" /dev/null)
  if [ ! -s "$work/expected" ]; then
    echo "the plain build prints nothing, so there is nothing to compare" >>"$work/log"
    return 1
  fi
  diff -u "$work/expected" "$work/found" >>"$work/log"
}

report() { # NAME GOOD BAD STATUS START
  local seconds
  seconds=$(since "$5")
  if [ "$3" -eq 0 ]; then
    printf 'passed  %s (%s in %s s)\n' "$1" "$2" "$seconds"
    if [ "$mode" = bench ]; then cat "$work/log"; fi
  else
    printf 'FAILED  %s (%s passed, %s failed, exit status %s)\n' "$1" "$2" "$3" "$4"
    sed 's/^/    /' "$work/log" | tail -n 60
  fi
  add_result "$1" "$2" "$3" "$seconds" "$work/log" "$work/out.json"
}

sanitizer=
if [ "$mode" = sanitize ]; then
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
fi

while IFS= read -r line; do
  # Not `IFS=$'\t' read`: it would join the tabs around an empty field.
  entry_kind=${line%%$'\t'*}; line=${line#*$'\t'}
  name=${line%%$'\t'*}; line=${line#*$'\t'}
  type=${line%%$'\t'*}; line=${line#*$'\t'}
  command=${line%%$'\t'*}; expected=${line#*$'\t'}
  if [ "$entry_kind" != "$kind" ] || [[ "$name" != *"$filter"* ]]; then continue; fi
  if [ "$mode" = sanitize ]; then
    if [[ "$command" == *IKRA_DEVICE=cpu* ]]; then continue; fi
    for tool in memcheck racecheck; do
      if [ -z "$sanitizer" ]; then
        skipped=$((skipped + 1))
      else
        run_entry "$name/$tool" program "$sanitizer --tool $tool --error-exitcode 99 $command" ""
      fi
    done
  else
    run_entry "$name" "$type" "$command" "$expected"
  fi
done <"$folder/entries"

if [ "$mode" = sanitize ] && [ -z "$sanitizer" ]; then echo "compute-sanitizer is not installed on this machine"; fi
if [ -n "${OUT:-}" ]; then
  mkdir -p "$OUT"
  {
    printf '{"mode": "%s", "machine": %s, "gpu": %s, "date": "%s", "pack": ' "$mode" "$(uname -n | json_string)" \
      "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | json_string)" "$(date -u +%FT%TZ)"
    cat "$folder/manifest.json"
    printf ', "results": ['
    separator=
    for result in "${results[@]}"; do
      printf '%s\n%s' "$separator" "$result"
      separator=,
    done
    printf '\n], "passed": %d, "failed": %d, "skipped": %d}\n' $passed $failed $skipped
  } >"$OUT/$mode.json"
fi

line="$passed passed, $failed failed"
if [ $skipped -gt 0 ]; then line+=", $skipped skipped"; fi
echo "$line"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
