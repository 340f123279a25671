#!/usr/bin/env bash
# Builds the model layers of apps whose sources are not in this repository, and runs their tests,
# without an edit: links to the sources are put into the packages of `Tests/Clients/Apps`, whose
# plugins rewrite the sources and compile the models.
#
#     Scripts/apps.sh FOLDER [--explored SCHEDULES]
#     Scripts/apps.sh FOLDER --operations
#
# FOLDER has duckduckgo-Bookmarks and jessesquires-JSQCoreDataKit. With --explored each test runs
# under so many schedules, also without an edit, and the last lines say how far the lab had the
# tests' threads in its hands. With --operations no test runs, but operations of one app do, two at
# a time, under every schedule and each merge policy; tables say which ends there are, and what is
# lost where.
set -euo pipefail
exec </dev/null
schedules=
operations=
if [[ "${2:-}" == --operations ]]; then operations=yes; fi
if [[ "${2:-}" == --explored ]]; then schedules="${3:?says how many schedules}"; fi
folder="$(cd "${1:?names the folder of the apps}" && pwd)"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare
apps=Tests/Clients/Apps

# SwiftPM would take the plan of the package before for this one's.
build_tests() {
    rm -f .build/apps/debug.yaml
    "$SWIFT" build --package-path "$apps/$1" --scratch-path .build/apps --build-tests >&2
}

# Builds a package and runs each of its tests in a process of its own, so that one which ends its
# process or does not end counts as one: tells how many there are, and how many passed. Contexts
# off their queues pass, as they do where the apps' authors run their tests.
run_tests() {
    local tests=0 passed=0 product=.build/apps/debug/$1PackageTests.xctest test
    build_tests "$1"
    for test in $("$product" -l 2>/dev/null | grep -oE '[A-Za-z]+\.[A-Za-z]+/[A-Za-z0-9_]+'); do
        tests=$((tests + 1))
        if run_test "$1" "$product" "$test"; then
            passed=$((passed + 1))
        else
            printf '%s: failed: %s\n' "$1" "$test"
        fi
    done
    tell_control "$1"
    printf '%s: %d tests, %d passed, %d lines edited\n' "$1" "$tests" "$passed" \
        "$(edited_lines "$1" "$2")"
    grep -rh '^// Except' "$apps/$1/Linux" --include=Sources.swift -A1 |
        sed "s,^// ,$1: left out: ," || true
}

# Runs a test as it is, or under schedules; what those have come to is kept for `tell_control`.
run_test() {
    local said=.build/apps/explored-$1.txt
    if [[ -z "$schedules" ]]; then
        env com.apple.CoreData.ConcurrencyDebug=0 timeout 60 "$2" "$3" >/dev/null 2>&1
    else
        env com.apple.CoreData.ConcurrencyDebug=0 FAULTLINE_EXPLORED="$schedules" \
            timeout 300 "$2" "$3" 2>&1 | tee -a "$said" | grep -v "^Test \(Suite\|Case\)" >&2
        return "${PIPESTATUS[0]}"
    fi
}

# A table of how many tests were in the lab's hands, on real threads, and without any choice, and
# below it in how many tests something was told.
tell_control() {
    local said=.build/apps/explored-$1.txt
    [[ -n "$schedules" ]] || return 0
    awk -v app="$1" '
        /^explored / {
            sub(/^explored [^:]*: /, "")
            split($0, part, ", ")
            tests[part[1]]++
            schedules[part[1]] += part[2]
            failing[part[1]] += part[3] ~ /fails/
            inside = 1
            next
        }
        inside && /^  [a-z][^:]*: / { sub(/^  /, ""); sub(/: .*/, ""); told[$0]++; next }
        { inside = 0 }
        END {
            printf "%s: %-18s %6s %10s %8s\n", app, "", "tests", "schedules", "failing"
            for (kind in tests)
                printf "%s: %-18s %6d %10d %8d\n", app, kind, tests[kind], schedules[kind],
                    failing[kind] | "sort"
            close("sort")
            for (kind in told) printf "%s: told in %d: %s\n", app, told[kind], kind | "sort"
        }' "$said"
    rm -f "$said"
}

# Lines of the sources that differ from those of the folder: none, because they are the same files.
edited_lines() {
    diff -r "$apps/$1/Original" "$folder/$2" | grep -c '^[<>]' || true
}

link() { ln -sfn "$folder/$2" "$apps/$1/Original"; }

# Two operations of the app at a time; the tests are left out.
if [[ -n "$operations" ]]; then
    link Bookmarks duckduckgo-Bookmarks
    build_tests Bookmarks
    .build/apps/debug/BookmarksPackageTests.xctest --testing-library swift-testing \
        --filter ExploredTests
    exit
fi

link JSQCoreDataKit jessesquires-JSQCoreDataKit
run_tests JSQCoreDataKit jessesquires-JSQCoreDataKit
link Bookmarks duckduckgo-Bookmarks
run_tests Bookmarks duckduckgo-Bookmarks
