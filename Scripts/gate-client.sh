#!/usr/bin/env bash
# Checks that a gate with custom workloads fails only if a workload has become slower or costlier:
#
#     Scripts/gate-client.sh PROGRAM [OPTION…]
#
# PROGRAM is a build of Tests/Clients/BenchApp; the environment variable SHELF_PLANT makes the
# program's work slower or costlier. The options are passed to each measurement; the default options
# are for a short run of a debug build.
set -euo pipefail
exec </dev/null
bench=$(readlink -f "$1")
shift
options=("$@")
if ((${#options[@]} == 0)); then
    options=(--preset smoke --rounds 5 --runs 5 --allow-debug-build)
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The result must not depend on the load of the machine. The change under test therefore slows the
# work by a factor of forty, more than any load does, and the gate ignores factors below eight.
limits=(--thresholds "$folder/thresholds.yaml")
cat >"$folder/thresholds.yaml" <<'END'
version: 1
limits:
  - {metric: time, at-most: 8, reason: Another program's work makes no factor of this size.}
  - {metric: ratio-to-yardstick, at-most: 8, reason: The same holds for two moments.}
END

# The baseline: the program without the change.
printf '#!/bin/sh\nexec env -u SHELF_PLANT "%s" "$@"\n' "$bench" >"$folder/before"
chmod +x "$folder/before"

# Runs a command and checks its exit status; the output is kept in $folder/said.
expect() {
    local status=0 wanted=$1
    shift
    "$@" >"$folder/said" 2>&1 || status=$?
    check_status "$wanted" "$status" "$*"
}

check_status() {
    if (($1 == $2)); then return; fi
    cat "$folder/said" >&2
    printf 'expected status %s, not %s: %s\n' "$1" "$2" "$3" >&2
    exit 1
}

# Runs a command that compares times, and checks its exit status. Repeats the command while it
# cannot resolve the comparison (exit status 3).
expect_times() {
    local status attempt wanted=$1
    shift
    for attempt in 1 2 3 4 5 6; do
        status=0
        "$@" >"$folder/times" 2>&1 || status=$?
        if ((status != 3)); then break; fi
    done
    cp "$folder/times" "$folder/said"
    if ((status == 3)); then
        printf 'BenchApp: times scatter too much to be compared: %s\n' "$*"
        if ((wanted == 0)); then return; fi
    fi
    check_status "$wanted" "$status" "$*"
}

said() { grep -c -- "$1" "$folder/said" || true; }

expect 0 "$bench" --help
[[ "$(said 'read-shelves: The first screen')" == 1 ]]
expect 0 "$bench" "${options[@]}" --save "$folder/before.json"

# Measures the same build again, and compares.
compare_again() {
    expect 0 "$bench" "${options[@]}" --save "$folder/again.json"
    "$bench" compare "$folder/before.json" "$folder/again.json" "${limits[@]}"
}
expect_times 0 compare_again
[[ "$(said 'times: ')" == 1 ]]

export SHELF_PLANT=slow
compare_slow() {
    expect 0 "$bench" "${options[@]}" --only read-shelves --save "$folder/slow.json"
    "$bench" compare "$folder/before.json" "$folder/slow.json" "${limits[@]}"
}
expect_times 1 compare_slow
expect_times 1 "$bench" gate "${options[@]}" --only read-shelves --base-build "$folder/before" \
    "${limits[@]}"
[[ "$(said '^regression read-shelves')" == 1 ]]

place='^::error file=Tests/Clients/BenchApp/Sources/main.swift,line=[0-9]*,title=read-shelves'
for SHELF_PLANT in statement prefetch; do
    expect 1 "$bench" gate "${options[@]}" --baseline "$folder/before.json" "${limits[@]}" \
        --annotations --junit "$folder/gate.xml" --summary "$folder/gate.md"
    [[ "$(said '^::error')" == 1 && "$(said "$place")" == 1 ]]
    grep -q 'classname="add-shelf".* time="[0-9]*\.[0-9]*"/>' "$folder/gate.xml"
    grep -q '^# Gate failed' "$folder/gate.md"
done

unset SHELF_PLANT
expect_times 0 "$bench" gate "${options[@]}" --self-test 2 "${limits[@]}"
expect 2 "$bench" gate "${options[@]}" --base-build /bin/true
expect 64 "$bench" gaet
[[ "$(said "did you mean 'gate'")" == 1 ]]
printf 'BenchApp: its gate fails only if a workload got worse\n'
