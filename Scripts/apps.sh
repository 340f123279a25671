#!/usr/bin/env bash
# Builds the unchanged model layers of apps whose sources are not in this repository, and runs their
# tests. The script creates links to the sources in the packages of `Tests/Clients/Apps`. The
# plugins of these packages rewrite the sources and compile the models.
#
#     Scripts/apps.sh FOLDER [--explored SCHEDULES]
#     Scripts/apps.sh FOLDER --operations
#
# FOLDER contains duckduckgo-Bookmarks and jessesquires-JSQCoreDataKit. With --explored each test,
# also unchanged, runs under that number of schedules, and the last lines of the output report how
# far the lab controlled the tests' threads. With --operations the script does not run the tests,
# but pairs of operations of one app, under every schedule and each merge policy. Tables list the
# outcomes and the values that each outcome loses.
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

trap 'plan_for "$root"' EXIT

build_tests() { build --package-path "$root/$apps/$1" --build-tests; }

# Builds a package and runs each of its tests in its own process, so that a test that ends its
# process or never ends counts as one failure. Prints the number of tests and the number of passed
# tests. A test that uses a context off its queue does not fail for that reason, because Apple's
# framework does not check it either.
run_tests() {
    local tests=0 passed=0 product=$build_folder/debug/$1PackageTests.xctest test
    build_tests "$1"
    for test in $("$product" -l 2>/dev/null | grep -oE '[A-Za-z]+\.[A-Za-z]+/[A-Za-z0-9_]+'); do
        tests=$((tests + 1))
        if run_test "$1" "$product" "$test"; then
            passed=$((passed + 1))
        else
            printf '%s: failed: %s\n' "$1" "$test"
        fi
    done
    print_control "$1"
    printf '%s: %d tests, %d passed, %d lines edited\n' "$1" "$tests" "$passed" \
        "$(edited_lines "$1" "$2")"
    grep -rh '^// Except' "$apps/$1/Linux" --include=Sources.swift -A1 |
        sed "s,^// ,$1: left out: ," || true
}

# Runs a test once, or under schedules. `print_control` reads the output of the schedules.
run_test() {
    local said=$build_folder/explored-$1.txt
    if [[ -z "$schedules" ]]; then
        env com.apple.CoreData.ConcurrencyDebug=0 timeout 60 "$2" "$3" >/dev/null 2>&1
    else
        env com.apple.CoreData.ConcurrencyDebug=0 FAULTLINE_EXPLORED="$schedules" \
            timeout 300 "$2" "$3" 2>&1 | tee -a "$said" | grep -v "^Test \(Suite\|Case\)" >&2
        return "${PIPESTATUS[0]}"
    fi
}

# Prints the number of tests for each degree to which the lab controlled their threads. The lines
# below the table show the number of tests for each remark that the lab printed.
print_control() {
    local said=$build_folder/explored-$1.txt
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
        inside && /^  [a-z][^:]*: / { sub(/^  /, ""); sub(/: .*/, ""); reported[$0]++; next }
        { inside = 0 }
        END {
            printf "%s: %-18s %6s %10s %8s\n", app, "", "tests", "schedules", "failing"
            for (kind in tests)
                printf "%s: %-18s %6d %10d %8d\n", app, kind, tests[kind], schedules[kind],
                    failing[kind] | "sort"
            close("sort")
            for (kind in reported) printf "%s: reported in %d: %s\n", app, reported[kind],
                    kind | "sort"
        }' "$said"
    rm -f "$said"
}

# Counts the source lines that differ from the app's original files. The count is 0, because the
# sources are links to these files.
edited_lines() {
    diff -r "$apps/$1/Original" "$folder/$2" | grep -c '^[<>]' || true
}

link() { ln -sfn "$folder/$2" "$apps/$1/Original"; }

# With --operations, runs pairs of the app's operations concurrently and does not run the tests.
if [[ -n "$operations" ]]; then
    link Bookmarks duckduckgo-Bookmarks
    build_tests Bookmarks
    "$build_folder/debug/BookmarksPackageTests.xctest" --testing-library swift-testing \
        --filter ExploredTests
    exit
fi

link JSQCoreDataKit jessesquires-JSQCoreDataKit
run_tests JSQCoreDataKit jessesquires-JSQCoreDataKit
link Bookmarks duckduckgo-Bookmarks
run_tests Bookmarks duckduckgo-Bookmarks
