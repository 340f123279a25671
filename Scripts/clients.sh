#!/usr/bin/env bash
# Builds the client packages against the public products and runs them: apps in Swift 5 and Swift 6
# mode, and tests with a scenario. They share one build folder; a warning in their code or from our
# interfaces fails.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare

log="$(mktemp)"
trap 'rm -f "$log"' EXIT

# Builds the package of the name, with what the arguments add.
build() {
    local client="$1"
    shift
    # SwiftPM would take the plan of the package before for this one's.
    rm -f .build/clients/debug.yaml .build/clients/release.yaml
    "$SWIFT" build --package-path "Tests/Clients/$client" --scratch-path .build/clients "$@" 2>&1 |
        tee "$log"
    if grep -qE 'warning: ' "$log"; then
        printf '%s: builds with warnings\n' "$client" >&2
        exit 1
    fi
}

for client in Swift5App Swift6App; do
    build "$client"
    .build/clients/debug/"$client"
    printf '%s: builds without warnings and runs\n' "$client"
done
for client in Overrides Observing Documents; do
    build "$client"
    for mode in 5 6; do ".build/clients/debug/$client$mode"; done
done
# Symbols tell names of properties; optimised programs have few and stripped ones none, and find
# them all the same.
for mode in debug release; do
    build KeyPaths -c "$mode"
    ".build/clients/$mode/KeyPaths"
    mkdir -p .build/clients/bare
    strip -o .build/clients/bare/KeyPaths ".build/clients/$mode/KeyPaths"
    rm -rf .build/clients/bare/KeyPaths_Shop.resources
    cp -r ".build/clients/$mode/KeyPaths_Shop.resources" .build/clients/bare
    .build/clients/bare/KeyPaths
done
build LabTests --build-tests
"$SWIFT" test --package-path Tests/Clients/LabTests --scratch-path .build/clients --skip-build
build ExistingTests --build-tests
Scripts/explored-client.sh .build/clients/debug/ExistingTestsPackageTests.xctest
for mode in debug release; do
    build RecordedTests -c "$mode" --build-tests
    Scripts/recorder-client.sh ".build/clients/$mode/RecordedTestsPackageTests.xctest" \
        ./faultline
done
build BenchApp
Scripts/gate-client.sh .build/clients/debug/shelf-bench
# Packages with plugins have a build folder of their own: where they take turns in one with others,
# SwiftPM takes what it knows of one package for another.
folder=.build/plugin-clients
"$SWIFT" build --package-path Tests/Clients/ModelApp --scratch-path "$folder" --build-tests
"$SWIFT" test --package-path Tests/Clients/ModelApp --scratch-path "$folder" --skip-build
# Its main.swift keeps its name, of which the compiler warns.
"$SWIFT" build --package-path Tests/Clients/SourcesApp --scratch-path "$folder"
"$folder/debug/SourcesApp"
"$folder/debug/SourcesApp6"
"$folder/debug/SourcesAppMain"
"$folder/debug/SourcesAppModel"
