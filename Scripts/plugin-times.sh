#!/usr/bin/env bash
# Measures the cost of the plugins: builds an app with the plugins, and the same app with sources
# that were rewritten beforehand. Each app is built from scratch, without a change, and with one
# changed source file. Prints elapsed and processor time in seconds.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare
"$SWIFT" build --package-path "$root" --product coredata-sources >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
app=Examples/ReadingList

# A copy of the app with the plugins.
cp -r "$app" "$work/with"
rm -rf "$work/with/.build"
sed -i "s,path: \"../..\",path: \"$root\"," "$work/with/Package.swift"

# A copy of the app without the plugins. It contains the sources that the plugin would compile, and
# no model.
mkdir "$work/without"
.build/debug/coredata-sources port "$app/ReadingList" --output "$work/without/ReadingList" >&2
cat >"$work/without/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ReadingList",
    dependencies: [.package(name: "faultline", path: "$root")],
    targets: [
        .target(
            name: "ReadingList", dependencies: [.product(name: "CoreData", package: "faultline")],
            path: "ReadingList", exclude: ["ReadingList.xcdatamodeld"])
    ],
    swiftLanguageModes: [.v5]
)
END

build_app() { "$SWIFT" build --package-path "$work/$1" --target ReadingList; }

# Builds one of the two copies, and prints the times and the number of rewritten sources.
measure() {
    local log="$work/log" times
    TIMEFORMAT='%R %U %S'
    times=$({ time build_app "$1" >"$log" 2>&1; } 2>&1)
    read -r clock user system <<<"$times"
    printf '%-8s %-16s %6.1f s, processors %6.1f s, rewritings %s, compilations %s\n' "$1" "$2" \
        "$clock" "$(awk "BEGIN { print $user + $system }")" \
        "$(grep -c 'Rewriting the sources' "$log" || true)" \
        "$(grep -c 'Compiling ReadingList' "$log" || true)"
}

for kind in without with; do
    measure "$kind" "from nothing"
    # SwiftPM plans the second build of a package again, and then compiles the modules of tools with
    # other options. This build is therefore measured separately.
    measure "$kind" "planned again"
    measure "$kind" "nothing changed"
    touch "$work/$kind/ReadingList/BookImporter.swift"
    measure "$kind" "touched"
    printf '\n// Changed.\nprivate let changed = 1\n' >>"$work/$kind/ReadingList/BookImporter.swift"
    measure "$kind" "one changed"
done
