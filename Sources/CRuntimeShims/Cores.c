#define _GNU_SOURCE
#include "CRuntimeShims.h"
#include <sched.h>
#include <unistd.h>

// The cores that the system allows to the thread, read before this file changes them.
static _Thread_local cpu_set_t own_cores;
static _Thread_local bool knows_cores;
// The core to which the thread is pinned; -1 if it is not pinned.
static _Thread_local int kept_core = -1;

int faultline_current_core(void) { return sched_getcpu(); }

int faultline_thread_number(void) {
    static _Thread_local int number;
    if (!number) number = gettid();
    return number;
}

bool faultline_may_change_core(void) {
    if (!knows_cores) {
        // If the system does not report the cores, the thread is treated as if it had one.
        if (sched_getaffinity(0, sizeof own_cores, &own_cores)) CPU_ZERO(&own_cores);
        knows_cores = true;
    }
    return CPU_COUNT(&own_cores) > 1;
}

void faultline_keep_thread(int thread, int core) {
    cpu_set_t only;
    CPU_ZERO(&only);
    if (core < 0 || core >= CPU_SETSIZE) return;
    CPU_SET(core, &only);
    sched_setaffinity(thread, sizeof only, &only);
}

int faultline_keep_here(void) {
    int core = sched_getcpu();
    if (core != kept_core) faultline_keep_thread(0, core);
    return kept_core = core;
}

void faultline_keep_behind(int core, int steps) {
    if (!faultline_may_change_core()) return;
    int target = core;
    for (int step = 0; step < steps; step++) {
        do target = (target + 1) % CPU_SETSIZE;
        while (!CPU_ISSET(target, &own_cores));
    }
    faultline_keep_thread(0, target);
    kept_core = target;
}

void faultline_note_core(void) { kept_core = sched_getcpu(); }

void faultline_free_thread(int thread) {
    if (knows_cores) sched_setaffinity(thread, sizeof own_cores, &own_cores);
}

void faultline_leave_core(void) {
    if (kept_core < 0) return;
    kept_core = -1;
    faultline_free_thread(0);
}
