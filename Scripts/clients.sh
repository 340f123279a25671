#!/usr/bin/env bash
# Builds the client packages in Swift 5 and Swift 6 mode against the public product and runs them.
# They share one build folder; a warning in their code or from our interfaces fails.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare

for client in Swift5App Swift6App; do
    log="$(mktemp)"
    trap 'rm -f "$log"' EXIT
    "$SWIFT" build --package-path "Tests/Clients/$client" --scratch-path .build/clients 2>&1 |
        tee "$log"
    if grep -qE 'warning: ' "$log"; then
        printf '%s: builds with warnings\n' "$client" >&2
        exit 1
    fi
    .build/clients/debug/"$client"
    printf '%s: builds without warnings and runs\n' "$client"
done
