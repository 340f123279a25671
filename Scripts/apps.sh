#!/usr/bin/env bash
# Builds the model layers of apps whose sources are not in this repository, and runs their tests,
# without an edit: links to the sources are put into the packages of `Tests/Clients/Apps`, the
# models are compiled, and `CoreDataSources` rewrites what the compiler reads.
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
"$SWIFT" build --product faultline >&2
faultline=.build/debug/faultline
apps=Tests/Clients/Apps

# Compiles all versions of a model: MODEL.xcdatamodeld MODEL.momd
compile_model() {
    rm -rf "$2"
    mkdir -p "$2"
    local version name current
    for version in "$1"/*.xcdatamodel; do
        name=$(basename "$version" .xcdatamodel)
        "$faultline" model "$version" --convert "$2/$name.mom" >/dev/null
    done
    current=$(sed -n 's,.*<string>\(.*\)\.xcdatamodel</string>.*,\1,p' "$1/.xccurrentversion")
    cat >"$2/VersionInfo.plist" <<END
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>NSManagedObjectModel_CurrentVersionName</key><string>$current</string>
</dict></plist>
END
}

# Builds a package and runs each of its tests in a process of its own, so that one which ends its
# process or does not end counts as one: tells how many there are, and how many passed.
run_tests() {
    local tests=0 passed=0 product=.build/clients/debug/$1PackageTests.xctest test
    "$SWIFT" build --package-path "$apps/$1" --scratch-path .build/clients --build-tests >&2
    for test in $("$product" -l 2>/dev/null | grep -oE '[A-Za-z]+\.[A-Za-z]+/[A-Za-z0-9_]+'); do
        tests=$((tests + 1))
        if timeout 60 "$product" "$test" >/dev/null 2>&1; then
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
resources=$apps/JSQCoreDataKit/Linux/ExampleModel/Resources
example=$apps/JSQCoreDataKit/Original/Example/ExampleModel/ExampleModel
mkdir -p "$resources"
compile_model "$example/ExampleModel.xcdatamodeld" "$resources/ExampleModel.momd"
for mapping in "$example"/*.xcmappingmodel; do
    compiled="$resources/$(basename "$mapping" .xcmappingmodel).cdm"
    rm -f "$compiled"
    "$faultline" model "$mapping" --convert "$compiled" >/dev/null
done
run_tests JSQCoreDataKit jessesquires-JSQCoreDataKit

link Bookmarks duckduckgo-Bookmarks
resources=$apps/Bookmarks/Linux/Bookmarks/Resources
mkdir -p "$resources"
compile_model "$apps/Bookmarks/Original/Sources/Bookmarks/BookmarksModel.xcdatamodeld" \
    "$resources/BookmarksModel.momd"
run_tests Bookmarks duckduckgo-Bookmarks
