#!/usr/bin/env bash
# Builds the model layers of apps whose sources are not in this repository, and runs their tests,
# without an edit: links to the sources are put into the packages of `Tests/Clients/Apps`, whose
# plugins rewrite the sources and compile the models.
#
#     Scripts/apps.sh FOLDER
#
# FOLDER has duckduckgo-Bookmarks and jessesquires-JSQCoreDataKit.
set -euo pipefail
exec </dev/null
folder="$(cd "${1:?names the folder of the apps}" && pwd)"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare
apps=Tests/Clients/Apps

# Builds a package and runs each of its tests in a process of its own, so that one which ends its
# process or does not end counts as one: tells how many there are, and how many passed. Contexts
# off their queues pass, as they do where the apps' authors run their tests.
run_tests() {
    local tests=0 passed=0 product=.build/apps/debug/$1PackageTests.xctest test
    "$SWIFT" build --package-path "$apps/$1" --scratch-path .build/apps --build-tests >&2
    for test in $("$product" -l 2>/dev/null | grep -oE '[A-Za-z]+\.[A-Za-z]+/[A-Za-z0-9_]+'); do
        tests=$((tests + 1))
        if env com.apple.CoreData.ConcurrencyDebug=0 timeout 60 "$product" "$test" \
            >/dev/null 2>&1; then
            passed=$((passed + 1))
        else
            printf '%s: failed: %s\n' "$1" "$test"
        fi
    done
    printf '%s: %d tests, %d passed, %d lines edited\n' "$1" "$tests" "$passed" \
        "$(edited_lines "$1" "$2")"
    grep -rh '^// Except' "$apps/$1/Linux" --include=Sources.swift -A1 |
        sed "s,^// ,$1: left out: ," || true
}

# Lines of the sources that differ from those of the folder: none, because they are the same files.
edited_lines() {
    diff -r "$apps/$1/Original" "$folder/$2" | grep -c '^[<>]' || true
}

link() { ln -sfn "$folder/$2" "$apps/$1/Original"; }

link JSQCoreDataKit jessesquires-JSQCoreDataKit
run_tests JSQCoreDataKit jessesquires-JSQCoreDataKit
link Bookmarks duckduckgo-Bookmarks
run_tests Bookmarks duckduckgo-Bookmarks
