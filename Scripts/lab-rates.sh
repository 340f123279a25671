#!/usr/bin/env bash
# Prints how many schedules of ordinary code run in a second, and how much memory they use. The
# measured program uses only the public products. It runs two sessions of three operations each,
# once with synchronous and once with asynchronous code. The schedules run first one at a time, and
# then concurrently, one on each core.
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
