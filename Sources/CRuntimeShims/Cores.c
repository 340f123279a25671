#define _GNU_SOURCE
#include "CRuntimeShims.h"
#include <sched.h>
#include <unistd.h>

// What the thread may run on by the will of others; read before this file changes it.
static _Thread_local cpu_set_t own_cores;
static _Thread_local bool knows_cores;

int faultline_current_core(void) { return sched_getcpu(); }

int faultline_thread_number(void) {
    static _Thread_local int number;
    if (!number) number = gettid();
    return number;
}

bool faultline_may_change_core(void) {
    if (!knows_cores) {
        // Where the system does not tell them, the thread counts as one that has a single core.
        if (sched_getaffinity(0, sizeof own_cores, &own_cores)) CPU_ZERO(&own_cores);
        knows_cores = true;
    }
    return CPU_COUNT(&own_cores) > 1;
}

void faultline_keep_on_core(int thread, int core) {
    cpu_set_t only;
    CPU_ZERO(&only);
    if (core < 0 || core >= CPU_SETSIZE) return;
    CPU_SET(core, &only);
    sched_setaffinity(thread, sizeof only, &only);
}

void faultline_leave_core(void) {
    if (knows_cores) sched_setaffinity(0, sizeof own_cores, &own_cores);
}
