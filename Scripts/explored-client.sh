#!/usr/bin/env bash
# Runs the tests of the client package that know nothing of the lab under schedules: what leans on
# an order must fail in one of them, with the line that replays it, and all others must pass.
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
# Outside of schedules the test that leans on an order has it: how busy the machine is must not
# decide whether that test passes.
export NOTES_FIRST_IN_ORDER=1
"$product" >"$said" 2>&1 || fail "a test fails without a schedule"
! grep -q '^explored BackgroundTests' "$said" || fail "a test is explored unasked"

FAULTLINE_EXPLORED=40 "$product" >"$said" 2>&1 && fail "no schedule fails"
failing="$(grep -c '^explored .*a schedule fails' "$said")"
[[ "$failing" == 1 ]] || fail "$failing tests fail in place of one"
grep -q '^explored .*testOneTitleTwice: controlled, .*a schedule fails' "$said" ||
    fail "the test that leans on an order does not fail"
# What was said of each of the others.
while read -r name control; do
    grep -q "^explored .*$name: $control," "$said" || fail "$name is not told as $control"
done <<'END'
testTwoTitles controlled
testDidSaveReachesTheViewContext controlled
testAGroupThatWaits controlled
testOneThread single-threaded
testAQueueOfTheAppsOwn perturbed
testAnOperationQueue perturbed
testATeardownBlock single-threaded
testThatEndsAtItsFirstFailure controlled
testSkipped as it is
testNoStack single-threaded
END

replay="$(grep -oE "FAULTLINE_REPLAY='[^']*'" "$said" | head -n 1 | cut -d"'" -f2)"
FAULTLINE_REPLAY="$replay" "$product" NotesTests.BackgroundTests/testOneTitleTwice \
    >"$said" 2>&1 && fail "the schedule does not fail again"
printf 'ExistingTests: explored as they are\n'
