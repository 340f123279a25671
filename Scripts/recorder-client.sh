#!/usr/bin/env bash
# Runs tests of the client package that fail, and checks the files that are recorded in four ways:
# by the trait, by the observer of XCTest, by a recorder that the test creates, and with
# FAULTLINE_RECORD.
#
#     Scripts/recorder-client.sh PRODUCT FAULTLINE
set -euo pipefail
exec </dev/null
product="${1:?names the tests}"
faultline="${2:?names the command}"
work="$(mktemp -d)"
said="$work/said"
trap 'rm -rf "$work"' EXIT
unset FAULTLINE_RECORD FAULTLINE_RECORD_VALUES

fail() {
    cat "$said" >&2
    ls -R "$work" >&2
    printf 'RecordedTests: %s\n' "$*" >&2
    exit 1
}

# Runs tests of one framework in a separate temporary folder: FRAMEWORK TESTS PASSES|FAILS.
run() {
    local status=0
    export TMPDIR="$work/own"
    rm -rf "$TMPDIR" && mkdir -p "$TMPDIR"
    if [[ "$1" == testing ]]; then
        "$product" --testing-library swift-testing --filter "$2" >"$said" 2>&1 || status=$?
    else
        "$product" "$2" >"$said" 2>&1 || status=$?
    fi
    if [[ "$3" == passes && "$status" != 0 ]]; then fail "$2 fails"; fi
    if [[ "$3" == fails && "$status" == 0 ]]; then fail "$2 passes"; fi
}

# Checks the number of scenarios and transcripts in a folder.
expect_files() {
    local folder="$1" count="$2" scenarios transcripts
    mkdir -p "$folder"
    scenarios="$(find "$folder" -name '*.yaml' | wc -l)"
    transcripts="$(find "$folder" -name '*.txt' | wc -l)"
    [[ "$scenarios" == "$count" && "$transcripts" == "$count" ]] ||
        fail "$scenarios scenarios and $transcripts transcripts instead of $count ($3)"
}

# Checks that a scenario states why it was recorded and hides values, and that the lab finds a lost
# update in it.
expect_lost() {
    local file="$1" reason="$2" values="$3"
    grep -q "$reason" "$file" || fail "$file does not contain '$reason'"
    if [[ "$values" == full ]]; then
        grep -q '48213' "$file" || fail "$file does not contain the value"
    elif grep -qE '48213|48208|48206|Ada|Byron' "$file" "${file%.yaml}.txt"; then
        fail "$file contains a value"
    fi
    grep -qE 'policy: objectTrump' "$file" || fail "$file has not the policy"
    # The command may end with exit code 1, because some schedules lose another edit, and the file
    # does not list that outcome.
    "$faultline" explore "$file" >"$said" 2>&1 || [[ $? == 1 ]] || fail "$file is not explored"
    grep -q 'lost update' "$said" || fail "$file does not lose an update"
    grep -qE '^ +[1-9][0-9]* +interesting ' "$said" || fail "$file does not reach its outcome"
}

of_tests="$work/own/faultline-recorded"

# Tests with the trait.
run testing TraitTests/keeping passes
expect_files "$of_tests" 0 "a test with the trait passes"
run testing TraitTests fails
expect_files "$of_tests" 2 "two tests with the trait fail"
expect_lost "$(ls "$of_tests"/losing-*.yaml)" \
    'The test losing() failed at TraitTests.swift:' hashed
expect_lost "$(ls "$of_tests"/losingInFull-*.yaml)" 'The test losingInFull() failed' full
run testing TraitTests fails
grep -q 'Recorded: ./faultline explore ' "$said" || fail "the issue does not name the file"

# Tests with the observer.
run xctest RecordedTests.ObserverTests/testKeeping passes
expect_files "$of_tests" 0 "a test with the observer passes"
run xctest RecordedTests.ObserverTests fails
expect_files "$of_tests" 1 "a test with the observer fails"
grep -q 'recorded: ./faultline explore ' "$said" || fail "the observer does not name the file"
expect_lost "$(ls "$of_tests"/*.yaml)" \
    'The test ObserverTests.testLosing failed at ObserverTests.swift:' hashed

# A test that creates a recorder, which writes a file at a conflict and another on request.
ASKING_FOLDER="$work/asking" run testing AskingTests passes
expect_files "$work/asking" 2 "a save conflicts, and the test asks"
expect_lost "$work/asking/recorded-1.yaml" 'A save has found a conflict' hashed
expect_lost "$work/asking/recorded-2.yaml" 'The test asks.' hashed

# Tests without code for recording. The recorder writes a file at a failure, at a conflict, and at
# the end of the program.
export FAULTLINE_RECORD="$work/environment"
run testing PlainTests/keeping passes
expect_files "$FAULTLINE_RECORD" 1 "nothing fails, and the program ends"
grep -q 'The program has ended.' "$FAULTLINE_RECORD"/*.yaml || fail "the end is not reported"
for framework in testing xctest; do
    rm -rf "$FAULTLINE_RECORD"
    if [[ $framework == testing ]]; then
        run testing PlainTests/losing fails
        name=losing reason='The test losing() failed at TraitTests.swift:'
    else
        run xctest RecordedTests.PlainCases/testLosing fails
        name=PlainCases reason='The test PlainCases.testLosing failed at ObserverTests.swift:'
    fi
    expect_files "$FAULTLINE_RECORD" 3 "a conflict, a failure and the end of $framework"
    expect_lost "$(ls "$FAULTLINE_RECORD"/"$name"*.yaml)" "$reason" hashed
    grep -q 'A save has found a conflict' "$FAULTLINE_RECORD"/*.yaml || fail "a conflict is missing"
done
rm -rf "$FAULTLINE_RECORD"
run testing PlainTests/unasserted passes
expect_files "$FAULTLINE_RECORD" 2 "a conflict without a failure, and the end"
rm -rf "$FAULTLINE_RECORD"
FAULTLINE_RECORD_VALUES=full run testing PlainTests/losing fails
expect_lost "$(ls "$FAULTLINE_RECORD"/losing*.yaml)" 'The test losing() failed' full
printf 'RecordedTests: failures are recorded\n'
