#!/usr/bin/env bash
# Draws 150 comments, 100 messages and 70 sentences of the pages at random, prints each with its
# file and line, and counts the idioms that STYLE.md replaces:
#
#     Scripts/draw-sentences.sh [SEED]        # 1 by default
#
# Give the output to a reader who has not seen the code, and count the texts that the reader has to
# read twice. The same seed draws the same texts from the same sources.
set -euo pipefail
exec </dev/null
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/prepare.sh"
need_swift
program=$(mktemp)
trap 'rm -f "$program"' EXIT
rules=$root/Tests/TidyTests
"${SWIFT}c" -swift-version 6 -O -o "$program" "$root/Scripts/draw-sentences/main.swift" \
    "$rules/Idioms.swift" "$rules/Prose.swift" "$rules/SwiftProse.swift" \
    "$rules/SourceFile.swift" "$rules/Repository.swift"
"$program" "${1:-1}"
