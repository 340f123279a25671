#!/usr/bin/env bash
# Tells how many schedules of ordinary code run in a second, and in how much memory, where a program
# knows the public products alone: two sessions of three operations each, synchronous and awaited,
# in one world and in one for each core.
#
#     Scripts/lab-rates.sh [release|debug] [SCHEDULES]
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare
mode=${1:-release}
"$SWIFT" build -c "$mode" --package-path Tests/Clients/LabRates --scratch-path .build/rates \
    --product lab-rates >&2
".build/rates/$mode/lab-rates" "${2:-2000}"
