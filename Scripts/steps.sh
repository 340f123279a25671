# Names the steps of a long check and prints the duration of each step at the end. The script of the
# check sources this file, and calls `step NAME` before each step and `finish_steps` after the last
# one.

step_names=() step_seconds=() step_began=$SECONDS
trap 'print_steps failed' EXIT

step() {
    end_step
    step_names+=("$1")
    printf '\n== %s (after %s s)\n' "$1" "$SECONDS"
}

end_step() {
    if ((${#step_names[@]})); then step_seconds+=("$((SECONDS - step_began))"); fi
    step_began=$SECONDS
}

finish_steps() {
    trap - EXIT
    print_steps passed
}

print_steps() {
    local index
    end_step
    printf '\n'
    for index in "${!step_names[@]}"; do
        printf '%6s s  %s\n' "${step_seconds[index]}" "${step_names[index]}"
    done
    printf '== %s (%s s)\n' "$1" "$SECONDS"
}
