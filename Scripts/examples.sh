#!/usr/bin/env bash
# Builds the packages of `Examples`, runs their tests, and the program of the first page.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare

# They share one build folder, so that the engine is built once.
folder=.build/examples
for example in ReadingList LibraryServer Headlines TwoTills; do
    "$SWIFT" build --package-path "Examples/$example" --scratch-path "$folder" --build-tests
    "$SWIFT" test --package-path "Examples/$example" --scratch-path "$folder" --skip-build
done

# The plugin builds the example's program and runs its gate.
"$SWIFT" package --package-path Examples/ShelfBench --scratch-path "$folder" \
    --allow-writing-to-package-directory faultline-gate --debug --preset smoke --self-test 1

"$SWIFT" build --package-path Examples/FirstSteps --scratch-path "$folder"
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
said=$(XDG_DATA_HOME=$data "$folder/debug/first-steps")
if [[ "$said" != "Wuthering Heights" ]]; then
    printf 'FirstSteps: said "%s"\n' "$said" >&2
    exit 1
fi
printf 'FirstSteps: saves and fetches\n'
