#include "CWaitHooks.h"
#include "Originals.h"
#include "Taking.h"

// If a thread of a schedule waits for a semaphore, another thread of the schedule must signal it.
// That thread does not run before the schedule switches to it. The functions of this file therefore
// replace Dispatch's functions. Each replacement calls the original.
typedef intptr_t (*wait_function)(void *object, uint64_t timeout);

#define FAULTLINE_NOW 0ull
#define FAULTLINE_FOREVER (~0ull)

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout);
intptr_t dispatch_semaphore_signal(void *semaphore);
void *dispatch_semaphore_create(intptr_t value);
intptr_t dispatch_group_wait(void *group, uint64_t timeout);
void *dispatch_group_create(void);
void dispatch_group_enter(void *group);
void dispatch_group_leave(void *group);

static intptr_t wait_for_semaphore(void *semaphore, uint64_t timeout) {
    FAULTLINE_ORIGINAL(dispatch_semaphore_wait);
    return original(semaphore, timeout);
}

static bool take_semaphore(const faultline_wait *wait) {
    return wait_for_semaphore(wait->object, FAULTLINE_NOW) == 0;
}

static intptr_t signal_semaphore(void *semaphore) {
    FAULTLINE_ORIGINAL(dispatch_semaphore_signal);
    return original(semaphore);
}

static bool is_semaphore_free(const faultline_wait *wait) {
    if (!take_semaphore(wait)) return false;
    signal_semaphore(wait->object);
    return true;
}

static intptr_t wait_for(faultline_wait wait, wait_function original) {
    wait.is_own = true;
    wait.is_try = wait.dispatch_time == FAULTLINE_NOW;
    wait.has_time_out = wait.dispatch_time != FAULTLINE_FOREVER;
    wait.has_dispatch_time = true;
    switch (faultline_wait_for(&wait)) {
    case 1: return 0;
    case 2: return 1;
    default: return original(wait.object, wait.dispatch_time);
    }
}

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    if (!faultline_is_watched()) return wait_for_semaphore(semaphore, timeout);
    faultline_wait wait = {
        .kind = FAULTLINE_SEMAPHORE, .object = semaphore, .take = take_semaphore,
        .is_free = is_semaphore_free, .dispatch_time = timeout};
    return wait_for(wait, wait_for_semaphore);
}

intptr_t dispatch_semaphore_signal(void *semaphore) {
    faultline_note_signal(FAULTLINE_SEMAPHORE, semaphore);
    return signal_semaphore(semaphore);
}

void *dispatch_semaphore_create(intptr_t value) {
    FAULTLINE_ORIGINAL(dispatch_semaphore_create);
    void *semaphore = original(value);
    faultline_note_made(FAULTLINE_SEMAPHORE, semaphore);
    return semaphore;
}

static intptr_t wait_for_group(void *group, uint64_t timeout) {
    FAULTLINE_ORIGINAL(dispatch_group_wait);
    return original(group, timeout);
}

static bool is_group_empty(const faultline_wait *wait) {
    return wait_for_group(wait->object, FAULTLINE_NOW) == 0;
}

bool faultline_is_group_empty(void *group) { return wait_for_group(group, FAULTLINE_NOW) == 0; }

intptr_t dispatch_group_wait(void *group, uint64_t timeout) {
    if (!faultline_is_watched()) return wait_for_group(group, timeout);
    faultline_wait wait = {
        .kind = FAULTLINE_GROUP, .object = group, .take = is_group_empty,
        .is_free = is_group_empty, .dispatch_time = timeout};
    return wait_for(wait, wait_for_group);
}

void *dispatch_group_create(void) {
    FAULTLINE_ORIGINAL(dispatch_group_create);
    void *group = original();
    faultline_note_made(FAULTLINE_GROUP, group);
    return group;
}

void dispatch_group_enter(void *group) {
    FAULTLINE_ORIGINAL(dispatch_group_enter);
    faultline_note_signal(FAULTLINE_GROUP, group);
    original(group);
}

void dispatch_group_leave(void *group) {
    FAULTLINE_ORIGINAL(dispatch_group_leave);
    faultline_note_signal(FAULTLINE_GROUP, group);
    original(group);
    faultline_note_leave(group);
}
