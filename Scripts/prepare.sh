# Functions for ./faultline, ./test and .ci/run, which source this file. The functions find the
# toolchain, install missing system packages, and build. The environment variable `SWIFT` can name a
# swift command other than the one in PATH.

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
# The build folder is in the checkout or, if the checkout is read-only, in the user's cache.
build_folder=$root/.build
if [[ ! -w "$root" || (-e "$root/.build" && ! -w "$root/.build") ]]; then
    build_folder=${XDG_CACHE_HOME:-$HOME/.cache}/faultline
    build_folder+=/$(printf '%s' "$root" | cksum | cut -d' ' -f1)
fi
SWIFT=${SWIFT:-swift}
swift_needed=6.2
build_memory=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864
build_memory+=:glibc.malloc.trim_threshold=1000000000

say() { printf '%s\n' "$*" >&2; }

die() {
    say "faultline: $*"
    exit 70
}

need_swift() {
    command -v "$SWIFT" >/dev/null 2>&1 || die "no Swift toolchain found" \
        "(looked for '$SWIFT' in PATH);" \
        "install Swift $swift_needed or later from https://swift.org/install"
    local version
    version=$("$SWIFT" --version 2>/dev/null |
        sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1)
    [[ "$(printf '%s\n' "$swift_needed" "$version" | sort -V | head -n 1)" \
        == "$swift_needed" ]] ||
        die "Swift ${version:-of unknown version} is too old; install Swift $swift_needed or later"
}

# Succeeds if the C compiler finds a header.
has_header() {
    local compiler
    for compiler in clang cc gcc; do
        command -v "$compiler" >/dev/null 2>&1 || continue
        printf '#include <%s>\n' "$1" | "$compiler" -E -x c - >/dev/null 2>&1
        return
    done
    [[ -e "/usr/include/$1" ]]
}

missing_packages() {
    command -v git >/dev/null 2>&1 || echo git
    has_header sqlite3.h || echo libsqlite3-dev
    has_header zlib.h || echo zlib1g-dev
    has_header jemalloc/jemalloc.h || echo libjemalloc-dev
}

# Installs PostgreSQL for the tests of stores on a server, if the user is root on a machine with
# apt-get. Without PostgreSQL these tests are skipped.
want_postgresql() {
    compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null && return 0
    command -v postgres >/dev/null 2>&1 && return 0
    if ((EUID != 0)) || ! command -v apt-get >/dev/null 2>&1; then
        say "faultline: PostgreSQL is missing; the tests that need it are skipped"
        return 0
    fi
    local as_root=()
    say "faultline: installing PostgreSQL for the tests with apt-get"
    # The tests start their own server, so the package must not create one.
    mkdir -p /etc/postgresql-common
    [[ -e /etc/postgresql-common/createcluster.conf ]] ||
        echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
    install_packages postgresql libpq5 >&2 ||
        say "faultline: PostgreSQL was not installed; the tests that need it are skipped"
}

# Prints the missing packages and installs them, as root or through sudo.
need_packages() {
    local packages
    mapfile -t packages < <(missing_packages)
    ((${#packages[@]})) || return 0
    say "faultline: missing system packages: ${packages[*]}"
    command -v apt-get >/dev/null 2>&1 ||
        die "no apt-get here; install ${packages[*]} (or their names on your system) and run again"
    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null 2>&1 ||
            die "not root and no sudo; run: apt-get install ${packages[*]}"
        as_root=(sudo)
    fi
    say "faultline: installing them with apt-get"
    install_packages "${packages[@]}" >&2 || die "could not install ${packages[*]}"
}

install_packages() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -q -y --no-install-recommends "$@"
}

# Builds this package, or the package that `--package-path` as the first argument names, in the
# checkout's build folder, so that no module is compiled twice. On a terminal SwiftPM shows its
# progress; otherwise each module has a line, and a failed build prints its whole log. If
# `warnings_fail` is set, a build with warnings fails too.
build() {
    # The compiler allocates memory in small pieces. With large pages, and without returning memory
    # to the system in between, a release build takes a seventh less time. Systems without glibc
    # ignore the setting.
    local -x GLIBC_TUNABLES="${GLIBC_TUNABLES:-$build_memory}"
    local options=(--scratch-path "$build_folder") package=$root
    local yielding='' status=0 log
    if [[ "${1:-}" == --package-path ]]; then
        package=$2
        shift 2
    fi
    plan_for "$package"
    if [[ " $* " == *" release "* ]]; then
        # SwiftPM compiles modules that are ready in the reverse order of their names. That order
        # leaves the engine, and the long chain of modules that depend on it, to the end. With more
        # jobs than cores, each module starts as soon as it is ready, and modules outside the chain
        # get only the processor time that the chain leaves. Symbols are enough to name functions in
        # call stacks; debug information would make the build take a tenth longer.
        options+=(--jobs "$((3 * $(nproc)))" -debug-info-format none)
        yield_cores &
        yielding=$!
    fi
    log=$(mktemp)
    if [[ -t 2 && -z "${warnings_fail:-}" ]]; then
        "$SWIFT" build --package-path "$package" "${options[@]}" "$@" >&2 || status=$?
    else
        "$SWIFT" build --package-path "$package" "${options[@]}" "$@" 2>&1 | tee "$log" |
            module_lines >&2 || status=$?
    fi
    if [[ -n "$yielding" ]]; then kill "$yielding" 2>/dev/null || true; fi
    if ((status != 0)); then
        cat "$log" >&2
        die "the build of $package failed"
    fi
    if [[ -n "${warnings_fail:-}" ]] && grep 'warning: ' "$log" >&2; then
        die "$package builds with warnings"
    fi
    rm -f "$log"
}

# Runs the tests that `build --package-path PACKAGE --build-tests` has built.
run_built_tests() {
    "$SWIFT" test --package-path "$1" --scratch-path "$build_folder" --skip-build
}

# Lowers the priority of the compilers of modules outside the longest chain of dependencies. Runs
# until it is killed.
yield_cores() {
    local process name arguments seen=' '
    local chain='-module-name (CoreData|FaultlineRecorder|Lab(Check|Files|Runner|Scenario)|Yams )'
    while sleep 0.5; do
        for process in /proc/[0-9]*; do
            [[ "$seen" != *" $process "* ]] || continue
            { read -r name <"$process/comm" && [[ "$name" == swift-frontend ]] &&
                mapfile -d '' arguments <"$process/cmdline"; } 2>/dev/null || continue
            seen+="$process "
            [[ "${arguments[*]}" =~ $chain ]] ||
                renice -n 10 -p "${process#/proc/}" >/dev/null 2>&1 || true
        done
    done
}

# Removes SwiftPM's plans and the bundles of resources if the build folder was last used for another
# package. Otherwise SwiftPM would use the old plans and not build the new package, and a program
# would also find the models of the other package's bundles next to it.
plan_for() {
    local mark=$build_folder/planned-package planned=$root
    if [[ -e "$mark" ]]; then planned=$(<"$mark"); fi
    if [[ "$planned" == "$1" ]]; then return; fi
    rm -f "$build_folder"/{debug,release,plugin-tools}.yaml
    rm -rf "$build_folder"/{debug,release}/*.resources
    printf '%s' "$1" >"$mark"
}

# Reduces the output of a build to one line for each module. The line contains the seconds since the
# build began, the number of finished steps, the number of known steps, and the module's name.
module_lines() {
    local line modules=' ' plugin='Compiling plugin '
    local step='^\[([0-9]+/[0-9]+)\] (Compiling|Emitting module) ([^ .]+)( |$)'
    local link='^\[([0-9]+/[0-9]+)\] (Linking) ([^ ]+)$'
    local began=$SECONDS
    while IFS= read -r line; do
        [[ "$line" =~ $step || "$line" =~ $link ]] || continue
        if [[ "$modules" == *" ${BASH_REMATCH[3]} "* || "$line" == *"$plugin"* ]]; then
            continue
        fi
        modules+="${BASH_REMATCH[3]} "
        printf '%5d s  [%s] %s\n' "$((SECONDS - began))" "${BASH_REMATCH[1]}" "${BASH_REMATCH[3]}"
    done
}

# Whether a product was built after the last change of every file that it may depend on. SwiftPM
# needs a second for the same check.
is_fresh() {
    is_fresh_in "$build_folder" "$1" && return 0
    # In a read-only checkout, a product that was built earlier is accepted.
    [[ "$build_folder" != "$root/.build" ]] && is_fresh_in "$root/.build" "$1" || return 1
    build_folder=$root/.build
}

is_fresh_in() {
    local folder=$1 stamp=$1/release/$2.built compiler
    [[ -x "$folder/release/$2" && -e "$stamp" ]] || return 1
    [[ -z "$(find "$root/Package.swift" "$root/Package.resolved" "$root/Sources" \
        -newer "$stamp" -print -quit)" ]] || return 1
    # With another toolchain the product is built again; without a toolchain the existing one is
    # used.
    compiler=$(command -v "$SWIFT") || return 0
    [[ "$(readlink -f "$compiler")" -ot "$stamp" ]]
}

# Builds a product, and records when the build began, so that files changed during the build count
# as newer.
build_product() {
    local began
    began=$(mktemp)
    build -c release --product "$1"
    mv -f "$began" "$build_folder/release/$1.built"
}

prepare() {
    need_swift
    need_packages
    find_root
}

# Passes the paths of the checkout and of the fixtures to the tool.
find_root() {
    export FAULTLINE_ROOT=$root
    if [[ -z "${FAULTLINE_FIXTURES:-}" && -d "$root/../shared/data" ]]; then
        FAULTLINE_FIXTURES=$(cd "$root/../shared/data" && pwd)
        export FAULTLINE_FIXTURES
    fi
}
