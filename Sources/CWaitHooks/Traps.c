// Prints the current schedule if the process ends by a trap. A handler of signals may only write
// bytes that exist already, so the lab prepares the names of the lanes and one byte for each step.

#define _GNU_SOURCE
#include "CRuntimeShims.h"
#include "CWaitHooks.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LANES_MAX 64

struct faultline_trap {
    void *scope;
    char *before, *after;
    char *lanes[LANES_MAX];
    uint8_t *steps;
    size_t capacity;
    _Atomic size_t count;
};

#define TRAPS_MAX 64
static _Atomic(faultline_trap *) traps[TRAPS_MAX];

static const int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
#define SIGNALS (sizeof signals / sizeof *signals)
static struct sigaction former[SIGNALS];

static void print(const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t written = write(STDERR_FILENO, text, left);
        if (written <= 0) return;
        text += written;
        left -= (size_t)written;
    }
}

static void print_number(size_t number) {
    char digits[24];
    size_t place = sizeof digits - 1;
    digits[place] = 0;
    do {
        digits[--place] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    print(digits + place);
}

static void print_schedule(const faultline_trap *trap) {
    size_t count = atomic_load(&trap->count);
    print(trap->before);
    for (size_t index = 0; index < count;) {
        uint8_t lane = trap->steps[index];
        size_t end = index;
        while (end < count && trap->steps[end] == lane) end++;
        if (index > 0) print(".");
        if (trap->lanes[lane] != NULL) print(trap->lanes[lane]);
        if (end - index > 1) {
            print("*");
            print_number(end - index);
        }
        index = end;
    }
    print(trap->after);
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)context;
    for (size_t index = 0; index < SIGNALS; index++) {
        if (signals[index] == signal) sigaction(signal, &former[index], NULL);
    }
    void *scope = faultline_get_scope();
    for (size_t index = 0; scope != NULL && index < TRAPS_MAX; index++) {
        faultline_trap *trap = atomic_load(&traps[index]);
        if (trap != NULL && trap->scope == scope) print_schedule(trap);
    }
    // An instruction that trapped traps again. A signal that was sent must be sent again. So must
    // the signal of a breakpoint, because the thread continues after the breakpoint.
    if (info->si_code <= 0 || signal == SIGTRAP) raise(signal);
}

static void install(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (size_t index = 0; index < SIGNALS; index++) {
        sigaction(signals[index], &action, &former[index]);
    }
}

faultline_trap *faultline_watch_traps(void *scope, const char *before, const char *after) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    faultline_trap *trap = calloc(1, sizeof *trap);
    trap->scope = scope;
    trap->before = strdup(before);
    trap->after = strdup(after);
    for (size_t index = 0; index < TRAPS_MAX; index++) {
        faultline_trap *none = NULL;
        if (atomic_compare_exchange_strong(&traps[index], &none, trap)) break;
    }
    return trap;
}

void faultline_begin_path(faultline_trap *trap) { atomic_store(&trap->count, 0); }

void faultline_name_lane(faultline_trap *trap, int lane, const char *name) {
    if (lane < 0 || lane >= LANES_MAX) return;
    char *old = trap->lanes[lane];
    trap->lanes[lane] = strdup(name);
    free(old);
}

void faultline_add_step(faultline_trap *trap, int lane) {
    size_t count = atomic_load_explicit(&trap->count, memory_order_relaxed);
    if (lane < 0 || lane >= LANES_MAX) return;
    if (count == trap->capacity) {
        trap->capacity = count == 0 ? 256 : count * 2;
        trap->steps = realloc(trap->steps, trap->capacity);
    }
    trap->steps[count] = (uint8_t)lane;
    atomic_store_explicit(&trap->count, count + 1, memory_order_relaxed);
}

void faultline_end_traps(faultline_trap *trap) {
    for (size_t index = 0; index < TRAPS_MAX; index++) {
        faultline_trap *own = trap;
        atomic_compare_exchange_strong(&traps[index], &own, NULL);
    }
    for (size_t index = 0; index < LANES_MAX; index++) free(trap->lanes[index]);
    free(trap->before);
    free(trap->after);
    free(trap->steps);
    free(trap);
}
