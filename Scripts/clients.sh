#!/usr/bin/env bash
# Builds the client packages against the public products and runs them: apps in Swift 5 and Swift 6
# mode, tests with a scenario, existing tests, a bench, and packages with plugins. They share the
# checkout's build folder, so that the engine is compiled once. A warning in their code or from our
# interfaces is a failure.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare
trap 'plan_for "$root"' EXIT
debug=$build_folder/debug
warnings_fail=yes

build_client() { build --package-path "$root/Tests/Clients/$1" "${@:2}"; }

test_client() { run_built_tests "$root/Tests/Clients/$1"; }

for client in Swift5App Swift6App; do
    build_client "$client"
    "$debug/$client"
    printf '%s: builds without warnings and runs\n' "$client"
done
for client in Overrides Observing Documents; do
    build_client "$client"
    for mode in 5 6; do "$debug/$client$mode"; done
done
# Names of properties come from symbols. Optimised programs have few symbols and stripped ones have
# none, and both must find the names.
bare=$build_folder/bare
for mode in debug release; do
    build_client KeyPaths -c "$mode"
    "$build_folder/$mode/KeyPaths"
    rm -rf "$bare"
    mkdir "$bare"
    strip -o "$bare/KeyPaths" "$build_folder/$mode/KeyPaths"
    cp -r "$build_folder/$mode/KeyPaths_Shop.resources" "$bare"
    "$bare/KeyPaths"
done
build_client LabTests --build-tests
test_client LabTests
build_client ExistingTests --build-tests
Scripts/explored-client.sh "$debug/ExistingTestsPackageTests.xctest"
for mode in debug release; do
    build_client RecordedTests -c "$mode" --build-tests
    Scripts/recorder-client.sh "$build_folder/$mode/RecordedTestsPackageTests.xctest" ./faultline
done
build_client BenchApp
Scripts/gate-client.sh "$debug/shelf-bench"
build_client ModelApp --build-tests
test_client ModelApp
# The copy of main.swift has the same name as the original, and the compiler warns about it.
warnings_fail=
build_client SourcesApp
for app in SourcesApp SourcesApp6 SourcesAppMain SourcesAppModel; do "$debug/$app"; done
