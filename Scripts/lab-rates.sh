#!/usr/bin/env bash
# Prints the number of schedules of ordinary code in a second and the memory that they use, in a
# program that uses only the public products: two sessions of three operations each, synchronous and
# awaited, in one world and in one for each core.
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
