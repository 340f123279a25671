#!/usr/bin/env bash
# Prints how many schedules of ordinary code run in a second, and how much memory they use. The
# measured program uses only the public products. It runs two sessions of three operations each,
# synchronous and awaited: first one schedule at a time, then one schedule on each core at the same
# time.
#
#     Scripts/lab-rates.sh [release|debug] [SCHEDULES]
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare
trap 'plan_for "$root"' EXIT
mode=${1:-release}
build --package-path "$root/Tests/Clients/LabRates" -c "$mode" --product lab-rates
"$build_folder/$mode/lab-rates" "${2:-2000}"
