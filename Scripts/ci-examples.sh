#!/usr/bin/env bash
# Runs the steps of the example files for CI (`Examples/ShelfBench/CI`) as they are written, in a
# repository like a user's: the app is a copy of the example that names this package by URL, `main`
# has new commits, and a change is checked out. A change without effect must pass, and a change that
# removes a prefetch must fail; both must write the files and messages that the two CI systems
# display.
#
#     Scripts/ci-examples.sh [FOLDER]
#
# FOLDER keeps the repositories and the files that the steps wrote; without FOLDER they are removed
# at the end. The packages that the steps would install must be installed already.
set -euo pipefail
exec </dev/null
kept=${1:-}
[[ -z "$kept" ]] || { mkdir -p "$kept" && kept="$(cd "$kept" && pwd)"; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/prepare.sh
prepare
if [[ -n "$kept" ]]; then work=$kept; else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

# The user's configuration is neither read nor written.
export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_SYSTEM=/dev/null
git config --global user.name example
git config --global user.email example@localhost
git config --global init.defaultBranch main
git config --global protocol.file.allow always

fail() {
    printf 'CI examples: %s\n' "$*" >&2
    exit 1
}

commit() { git -C "$1" add -A && git -C "$1" commit -qm "$2"; }

# Creates a repository with this package and its uncommitted changes, tagged with the version that
# the example requires.
make_library() {
    local library=$work/faultline
    rm -rf "$library"
    mkdir -p "$library"
    git ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do [[ ! -e "$file" ]] || printf '%s\0' "$file"; done |
        xargs -0 cp -P --parents -t "$library"
    git init -q "$library"
    commit "$library" "Everything"
    git -C "$library" tag 0.1.0
}

# Creates the app's repository, with a branch for each of the two changes. The newest commit of main
# does not build, so a step that compares a change with that commit fails.
make_app() {
    local app=$work/app shelves=Sources/Shelf/Shelves.swift
    rm -rf "$app" "$work/origin.git"
    cp -r Examples/ShelfBench "$app"
    rm -rf "$app/.build"
    # The line that a user would write into the manifest.
    local url="url: \"file://$work/faultline\", from: \"0.1.0\""
    sed -i "s|\.package(name: .*\")\],|.package($url)],|" "$app/Package.swift"
    grep -q "file://$work/faultline" "$app/Package.swift" || fail "the manifest has changed"
    printf '.build\nresults\n' >"$app/.gitignore"
    git init -q "$app"
    commit "$app" "An app"
    git -C "$app" checkout -qb sound
    printf '\n// A change without effect.\n' >>"$app/$shelves"
    commit "$app" "Say something"
    git -C "$app" checkout -qb worse main
    sed -i '/PathsForPrefetching/d' "$app/$shelves"
    commit "$app" "Lose a prefetch"
    git -C "$app" checkout -q main
    printf 'This does not build.\n' >>"$app/$shelves"
    commit "$app" "Move on"
    git clone -q --bare "$app" "$work/origin.git"
    git -C "$app" remote add origin "$work/origin.git"
}

# Writes each `run:` block of a GitHub file as a script.
github_steps() {
    awk -v to="$2/github-" '
        /^ *run: \|$/ { step++; inside = 1; key = match($0, /[^ ]/); depth = 0; next }
        inside && NF {
            column = match($0, /[^ ]/)
            if (column <= key) { inside = 0; next }
            if (!depth) depth = column
            print substr($0, depth) > (to step ".sh")
        }' "$1"
}

# Writes the `script:` list of a GitLab file as one script, joined as GitLab's runner joins it.
gitlab_steps() {
    awk '
        /^  script:$/ { inside = 1; next }
        inside && /^  [^ ]/ { exit }
        !inside { next }
        /^    - >-$/ { folded = 1; next }
        /^    - / { if (line) print line; line = ""; folded = 0; print substr($0, 7); next }
        /^ *#/ { next }
        folded { sub(/^ +/, ""); line = line (line ? " " : "") $0 }
        END { if (line) print line }' "$1" >"$2/gitlab.sh"
}

# Runs the steps of a CI system with sh, as in its containers, until a step fails.
run_steps() {
    local step
    rm -rf "$work/app/results"
    for step in "$work/steps/$1"*.sh; do
        (cd "$work/app" && PATH="$work/bin:$PATH" sh -e "$step") || return
    done
}

# Runs the steps of a CI system on a branch, and checks the exit status. The files are kept in a
# folder that is named after the system and the branch.
check_branch() {
    local system=$1 branch=$2 wanted=$3 status=0 said=$work/said/$1-$2
    git -C "$work/app" checkout -q --detach "origin/$branch"
    rm -rf "$said"
    mkdir -p "$said"
    export GITHUB_STEP_SUMMARY=$said/summary.md
    run_steps "$system" >"$said/log" 2>&1 || status=$?
    cp -r "$work/app/results/." "$said" 2>/dev/null || true
    if ((status != wanted)); then
        tail -n 30 "$said/log" >&2
        fail "$system: $branch ended with $status instead of $wanted"
    fi
    [[ -s "$said/gate.xml" && -s "$said/bench.json" ]] || fail "$system: $branch wrote no files"
}

count() { grep -c -- "$1" "$2" || true; }

# Check the files and messages that the steps write for a change that passes, and for a change that
# fails.
check_sound() {
    local said=$work/said/$1-sound
    [[ "$(count '<failure' "$said/gate.xml")" == 0 ]] || fail "$1: the sound change has failures"
    [[ "$(count '<testcase' "$said/gate.xml")" != 0 ]] || fail "$1: nothing was compared"
    [[ "$(count '^::error' "$said/log")" == 0 ]] || fail "$1: the sound change is annotated"
}

check_worse() {
    local said=$work/said/$1-worse
    [[ "$(count '<failure' "$said/gate.xml")" != 0 ]] || fail "$1: the worse change has no failure"
    grep -q 'first-screen' "$said/gate.xml" || fail "$1: the failure has no name"
}

make_library
make_app
mkdir -p "$work/steps" "$work/bin"
rm -f "$work/steps/"*
github_steps Examples/ShelfBench/CI/github-actions.yml "$work/steps"
gitlab_steps Examples/ShelfBench/CI/gitlab-ci.yml "$work/steps"
# Replaces apt-get with a script that only checks whether the packages are installed.
cat >"$work/bin/apt-get" <<'END'
#!/bin/sh
[ "$1" = install ] || exit 0
shift
for package; do
    case $package in -*) ;; *) dpkg -s "$package" >/dev/null || exit 1 ;; esac
done
END
chmod +x "$work/bin/apt-get"
export CI=true GITHUB_BASE_REF=main CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main

git -C "$work/app" fetch -q origin
for system in github gitlab; do
    check_branch "$system" sound 0
    check_sound "$system"
    check_branch "$system" worse 1
    check_worse "$system"
done
grep -q '^# Gate passed' "$work/said/github-sound/summary.md" ||
    fail "the sound change has no summary"
grep -q '^# Gate failed' "$work/said/github-worse/summary.md" ||
    fail "the worse change has no summary"
place='^::error file=Sources/shelf-bench/main.swift,line=[0-9]*,title=first-screen'
if [[ "$(count '^::error' "$work/said/github-worse/log")" != 1 ||
    "$(count "$place" "$work/said/github-worse/log")" != 1 ]]; then
    fail "the lost prefetch is not one annotation at its workload"
fi
printf 'CI examples: both systems pass the sound change and fail the worse one\n'
