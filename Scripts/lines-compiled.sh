#!/usr/bin/env bash
# Prints the number of lines of this repository that are compiled for a package that uses a product:
#
#     Scripts/lines-compiled.sh [PRODUCT…]
#
# Without arguments: for an app, for explored code, for a gate, for the tool, and for its attacks.
# Lines are those of the .swift, .c and .h files of the product's modules and of all modules below
# them; other packages are not counted.
set -euo pipefail
exec </dev/null
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/prepare.sh"
need_swift

products=("$@")
if ((!${#products[@]})); then
    products=(CoreData LabRunner FaultlineBench faultline faultline-torture)
fi

# One line for each product, target and dependency: its kind, its name, and its modules; the line of
# a target also contains its folder.
described=$("$SWIFT" package --package-path "$root" --scratch-path "$build_folder" \
    describe --type text)

declare -A modules_of needs folder_of lines_of
section='' name='' list=''
while IFS= read -r line; do
    case "$line" in
        [A-Z]*) section=$line list='' ;;
        '    Name: '*) name=${line#    Name: } list='' ;;
        '    Path: '*) folder_of[$name]=${line#    Path: } list='' ;;
        '    Targets:' | '    Target dependencies:') list=$section ;;
        '    '[A-Z]*) list='' ;;
        '        '*)
            case "$list" in
                Products:) modules_of[$name]+=" ${line#        }" ;;
                Targets:) needs[$name]+=" ${line#        }" ;;
            esac
            ;;
    esac
done <<<"$described"

lines() {
    find "$root/${folder_of[$1]}" \( -name '*.swift' -o -name '*.c' -o -name '*.h' \) \
        -not -path '*.docc/*' -exec cat {} + | wc -l
}

for product in "${products[@]}"; do
    [[ -n "${modules_of[$product]:-}" ]] ||
        die "the product '$product' does not exist; write one of ${!modules_of[*]}"
    read -ra waiting <<<"${modules_of[$product]}"
    unset counted
    declare -A counted=()
    sum=0
    while ((${#waiting[@]})); do
        module=${waiting[-1]}
        unset 'waiting[-1]'
        if [[ -n "${counted[$module]:-}" ]]; then continue; fi
        counted[$module]=yes
        : "${lines_of[$module]:=$(lines "$module")}"
        sum=$((sum + lines_of[$module]))
        read -ra below <<<"${needs[$module]:-}"
        waiting+=("${below[@]}")
    done
    printf '%8d  %-20s %d modules\n' "$sum" "$product" "${#counted[@]}"
done
