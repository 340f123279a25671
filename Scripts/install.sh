#!/usr/bin/env bash
# Builds the tool and installs it with its completions and its manual page:
#
#     Scripts/install.sh [PREFIX]        # /usr/local by default
#
# PREFIX/bin gets faultline, and faultline-torture, which faultline runs to attack the engine.
# PREFIX/share gets the completions of bash, zsh and fish and the page of `man faultline`. The
# environment variable DESTDIR, which packagers use, is put in front of PREFIX. --uninstall as the
# last argument removes the same files.
set -euo pipefail
exec </dev/null
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/prepare.sh"

prefix=${1:-/usr/local}
if [[ "$prefix" == --uninstall ]]; then prefix=/usr/local; fi
if [[ "$prefix" == -* ]]; then
    printf 'usage: Scripts/install.sh [PREFIX] [--uninstall]\n' >&2
    exit 64
fi
target=${DESTDIR:-}$prefix
files=(
    bin/faultline
    bin/faultline-torture
    share/bash-completion/completions/faultline
    share/zsh/site-functions/_faultline
    share/fish/vendor_completions.d/faultline.fish
    share/man/man1/faultline.1
)

if [[ "${!#}" == --uninstall ]]; then
    for file in "${files[@]}"; do rm -f "$target/$file"; done
    say "removed from $target: ${files[*]}"
    exit 0
fi

prepare
for program in faultline faultline-torture; do
    is_fresh "$program" || build_product "$program"
    install -D -m 755 "$build_folder/release/$program" "$target/bin/$program"
done
tool=$build_folder/release/faultline
write() {
    local file=$target/$1
    mkdir -p "$(dirname "$file")"
    "$tool" "${@:2}" >"$file"
}
write "${files[2]}" --generate-completion-script bash
write "${files[3]}" --generate-completion-script zsh
write "${files[4]}" --generate-completion-script fish
write "${files[5]}" manual
for file in "${files[@]}"; do say "$target/$file"; done
