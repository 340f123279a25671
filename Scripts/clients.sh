#!/usr/bin/env bash
# Builds the programs and packages of `Tests/Clients` against the public products and runs them:
# apps in Swift 5 and Swift 6 mode, tests with a scenario, existing tests, a bench, and targets with
# plugins. All of them use the checkout's build folder, so that the engine is compiled only once. A
# warning in their code, or in the interfaces that they use, is a failure.
#
#     Scripts/clients.sh [release]
#
# With `release`, recordings are also checked in optimised builds.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare
trap 'plan_for "$root"' EXIT
debug=$build_folder/debug
warnings_fail=yes

build_client() { build --package-path "$root/Tests/Clients${1:+/$1}" "${@:2}"; }

test_client() { run_built_tests "$root/Tests/Clients/$1"; }

# Builds tests that are recorded in a mode (debug or release), and checks the recordings.
record() {
    build_client RecordedTests -c "$1" --build-tests
    Scripts/recorder-client.sh "$build_folder/$1/RecordedTestsPackageTests.xctest" ./faultline
}

if [[ "${1:-}" == release ]]; then
    record release
    exit
fi

build_client ""
programs=(Swift5App Swift6App)
for name in Overrides Observing Documents; do programs+=("${name}5" "${name}6"); done
for program in "${programs[@]}"; do
    "$debug/$program"
    printf '%s: builds without warnings and runs\n' "$program"
done
# The names of key paths come from the program's symbols. They must also be found in optimised
# programs, which have few symbols, and in stripped programs, which have none.
bare=$build_folder/bare
for mode in debug release; do
    if [[ $mode == release ]]; then build_client "" -c release --product KeyPaths; fi
    "$build_folder/$mode/KeyPaths"
    rm -rf "$bare"
    mkdir "$bare"
    strip -o "$bare/KeyPaths" "$build_folder/$mode/KeyPaths"
    cp -r "$build_folder/$mode/Clients_Shop.resources" "$bare"
    "$bare/KeyPaths"
done
Scripts/gate-client.sh "$debug/shelf-bench"
for tests in LabTests ModelApp; do
    build_client "$tests" --build-tests
    test_client "$tests"
done
build_client ExistingTests --build-tests
Scripts/explored-client.sh "$debug/ExistingTestsPackageTests.xctest"
record debug
# Warnings are permitted here, because the compiler warns that the rewritten copy of main.swift has
# the same name as the original file.
warnings_fail=
build_client SourcesApp
for app in SourcesApp SourcesApp6 SourcesAppMain SourcesAppModel; do "$debug/$app"; done
build_client Causes
"$debug/Causes"
