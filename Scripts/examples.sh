#!/usr/bin/env bash
# Builds the packages of `Examples`, and runs their tests and the program of the README. All of them
# use the checkout's build folder, so that the engine and the plugins' tools are compiled once.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare
data=$(mktemp -d)
trap 'rm -rf "$data"; plan_for "$root"' EXIT

for example in ReadingList LibraryServer Headlines TwoTills; do
    build --package-path "$root/Examples/$example" --build-tests
    run_built_tests "$root/Examples/$example"
done

# The plugin `faultline-gate` builds the example's program and runs the program's performance gate.
plan_for "$root/Examples/ShelfBench"
"$SWIFT" package --package-path "$root/Examples/ShelfBench" --scratch-path "$build_folder" \
    --allow-writing-to-package-directory faultline-gate --debug --preset smoke --self-test 1

build --package-path "$root/Examples/FirstSteps"
printed=$(XDG_DATA_HOME=$data "$build_folder/debug/first-steps")
if [[ "$printed" != "Wuthering Heights" ]]; then
    printf 'FirstSteps: printed "%s"\n' "$printed" >&2
    exit 1
fi
printf 'FirstSteps: saves and fetches\n'
