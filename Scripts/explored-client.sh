#!/usr/bin/env bash
# Explores tests of the client package that were not written for the lab. The test that relies on
# the order of two imports must fail, with a line that replays the failing schedule; all other tests
# must pass.
#
#     Scripts/explored-client.sh PRODUCT
set -euo pipefail
exec </dev/null
product="${1:?names the tests}"
said="$(mktemp)"
trap 'rm -f "$said"' EXIT

fail() {
    cat "$said" >&2
    printf 'ExistingTests: %s\n' "$*" >&2
    exit 1
}

"$product" --testing-library swift-testing >"$said" 2>&1 || fail "a suite with the trait fails"
[[ "$(grep -c '^explored ' "$said")" == 5 ]] || fail "a test of the suite is not explored"
# In this run without schedules, the test that relies on an order enforces the order, because the
# load of the machine must not decide whether the test passes.
export NOTES_FIRST_IN_ORDER=1
"$product" >"$said" 2>&1 || fail "a test fails without a schedule"
! grep -q '^explored BackgroundTests' "$said" || fail "a test is explored without a request"

FAULTLINE_EXPLORED=40 "$product" >"$said" 2>&1 && fail "no schedule fails"
failing="$(grep -c '^explored .*a schedule fails' "$said")"
[[ "$failing" == 1 ]] || fail "$failing tests fail instead of one"
grep -q '^explored .*testOneTitleTwice: controlled, .*a schedule fails' "$said" ||
    fail "the test that relies on an order does not fail"
# The verdict on each of the other tests.
while read -r name control; do
    grep -q "^explored .*$name: $control," "$said" || fail "$name is not reported as $control"
done <<'END'
testTwoTitles controlled
testDidSaveReachesTheViewContext controlled
testAGroupThatWaits controlled
testOneThread single-threaded
testAQueueOfTheAppsOwn controlled
testAnOperationQueue controlled
testATeardownBlock single-threaded
testThatEndsAtItsFirstFailure controlled
testSkipped as it is
testNoStack single-threaded
END

replay="$(grep -oE "FAULTLINE_REPLAY='[^']*'" "$said" | head -n 1 | cut -d"'" -f2)"
FAULTLINE_REPLAY="$replay" "$product" NotesTests.BackgroundTests/testOneTitleTwice \
    >"$said" 2>&1 && fail "the schedule does not fail again"
printf 'ExistingTests: explored without a change\n'
