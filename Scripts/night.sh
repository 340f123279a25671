#!/usr/bin/env bash
# Runs the checks that take too long for every change: the sanitizers, the tests in full, long
# property tests, mutants, the self-check in full, a long run of `faultline torture`, and the
# example files for CI. Run it before a release, and after a change of locks, queues, object life or
# detectors.
#
#     Scripts/night.sh [MINUTES]
#
# MINUTES is the length of the torture run, 60 by default. The other steps take hours on two cores.
# The last lines of the output show the duration of each step in seconds.
set -euo pipefail
exec </dev/null
export NO_COLOR=1
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
source Scripts/steps.sh
prepare
minutes=${1:-60}

# The runs with a sanitizer skip two long searches on one thread, which would take longer than all
# other tests; the rules that only read source text; and the worker processes whose memory limit is
# too low for a sanitizer.
skipped='six sessions|FuzzWorkerTests|TidyTests'

step "tests with the thread sanitizer"
./test --sanitize=thread --scratch-path .build/thread --skip "$skipped"

step "tests with the address sanitizer"
ASAN_OPTIONS=detect_leaks=0 \
    ./test --sanitize=address --scratch-path .build/address --skip "$skipped"

step "tests in full"
FAULTLINE_THOROUGH=1 ./test

step "100,000 random sequences"
FAULTLINE_SEQUENCES=100000 ./test --filter PropertyTests

step "mutants"
build --product faultline
"$build_folder/debug/faultline" mutants

step "self-check"
./faultline selfcheck

step "torture"
./faultline torture --preset night --time-budget "$((60 * minutes))" \
    --report "$build_folder/night.json"

step "recordings of optimised programs"
Scripts/clients.sh release

step "example files for CI"
Scripts/ci-examples.sh

finish_steps
