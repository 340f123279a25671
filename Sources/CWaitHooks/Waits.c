#include "CWaitHooks.h"
#include "Originals.h"
#include <stdatomic.h>

// A thread of a schedule that waits for a semaphore waits for another thread of the schedule, which
// cannot continue while the first one has the turn. So the functions of this file replace
// Dispatch's functions, and call them.
typedef intptr_t (*wait_function)(void *object, uint64_t timeout);
typedef uint64_t (*time_function)(uint64_t when, int64_t delta);

#define FAULTLINE_NOW 0ull
#define FAULTLINE_FOREVER (~0ull)

static _Atomic(faultline_waiter) waiter;

void faultline_take_waits(faultline_waiter wait) { atomic_store(&waiter, wait); }

typedef struct {
    wait_function wait;
    void *object;
    uint64_t timeout;
} faultline_wait;

static bool try_once(void *state) {
    faultline_wait *wait = state;
    return wait->wait(wait->object, FAULTLINE_NOW) == 0;
}

static bool is_late(void *state) {
    faultline_wait *wait = state;
    // Wall-clock times are negative numbers; the system waits for those.
    if (wait->timeout == FAULTLINE_FOREVER || (int64_t)wait->timeout < 0) return false;
    time_function time = (time_function)faultline_find_original("dispatch_time");
    return time(FAULTLINE_NOW, 0) >= wait->timeout;
}

static intptr_t wait_for(wait_function original, void *object, uint64_t timeout) {
    faultline_waiter take = atomic_load_explicit(&waiter, memory_order_relaxed);
    if (take == NULL || timeout == FAULTLINE_NOW) return original(object, timeout);
    faultline_wait state = {original, object, timeout};
    switch (take(&state, try_once, is_late)) {
    case 1: return 0;
    case 2: return 1;
    default: return original(object, timeout);
    }
}

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    static _Atomic(wait_function) original;
    if (original == NULL) {
        original = (wait_function)faultline_find_original("dispatch_semaphore_wait");
    }
    return wait_for(original, semaphore, timeout);
}

intptr_t dispatch_group_wait(void *group, uint64_t timeout) {
    static _Atomic(wait_function) original;
    if (original == NULL) {
        original = (wait_function)faultline_find_original("dispatch_group_wait");
    }
    return wait_for(original, group, timeout);
}
