#include "Taking.h"
#include "Originals.h"

static faultline_wait_taker taker;
static bool has_taker;
// The number of locks that the lab has taken on behalf of threads and that are not released yet.
static _Atomic int held_locks;

void faultline_take_waits(faultline_wait_taker wanted) {
    taker = wanted;
    __atomic_store_n(&has_taker, true, __ATOMIC_RELEASE);
}

uint64_t dispatch_time(uint64_t when, int64_t delta);
// The calling thread's last reading of Dispatch's clock, the delay that the thread added to it, and
// the sum. The delay is the time-out of a wait. The lab uses it in place of the time until the sum,
// which differs from run to run.
static _Thread_local struct {
    uint64_t now, end;
    int64_t delay;
} reading;

uint64_t dispatch_time(uint64_t when, int64_t delta) {
    FAULTLINE_ORIGINAL(dispatch_time);
    uint64_t time = original(when, delta);
    if (!faultline_is_watched()) return time;
    if (when == 0 && delta == 0) reading.now = time;
    if (when == 0 || when == reading.now) {
        reading.end = time;
        reading.delay = delta;
    }
    return time;
}

int64_t faultline_delay_until(uint64_t when) {
    return when == reading.end ? reading.delay : faultline_left_until(when);
}

int64_t faultline_delay(const faultline_wait *wait) {
    return wait->has_dispatch_time ? faultline_delay_until(wait->dispatch_time)
        : faultline_time_left(wait);
}

int64_t faultline_left_until(uint64_t when) {
    struct timespec now;
    if ((int64_t)when < 0) {
        // Dispatch represents wall-clock times as negative numbers.
        clock_gettime(CLOCK_REALTIME, &now);
        return -(int64_t)when - ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    }
    FAULTLINE_ORIGINAL(dispatch_time);
    return (int64_t)(when - original(0, 0));
}

int64_t faultline_time_left(const faultline_wait *wait) {
    if (wait->has_dispatch_time) return faultline_left_until(wait->dispatch_time);
    struct timespec now;
    clock_gettime(wait->clock, &now);
    return (int64_t)(wait->time.tv_sec - now.tv_sec) * 1000000000
        + (wait->time.tv_nsec - now.tv_nsec);
}

static bool may_take(void) {
    return __atomic_load_n(&has_taker, __ATOMIC_ACQUIRE) && faultline_is_watched();
}

int faultline_wait_for(const faultline_wait *wait) {
    if (!may_take()) return 0;
    faultline_begin_taking();
    int ending = taker.wait(wait);
    faultline_end_taking();
    bool is_lock = wait->kind == FAULTLINE_LOCK || wait->kind == FAULTLINE_READ_LOCK
        || wait->kind == FAULTLINE_WRITE_LOCK;
    if (ending == 1 && is_lock) held_locks++;
    return ending;
}

void faultline_note_made(faultline_wait_kind kind, void *object) {
    if (!may_take()) return;
    faultline_begin_taking();
    taker.made(kind, object);
    faultline_end_taking();
}

void faultline_note_signal(faultline_wait_kind kind, void *object) {
    if (!may_take()) return;
    faultline_begin_taking();
    taker.signalled(kind, object);
    faultline_end_taking();
}

void faultline_note_gone(void *object) {
    if (!may_take()) return;
    faultline_begin_taking();
    taker.gone(object);
    faultline_end_taking();
}

bool faultline_give_back(void *object) {
    // Returns early in the usual case: a library releases a lock that the lab has not taken.
    if (held_locks == 0 || !may_take()) return false;
    faultline_begin_taking();
    int ending = taker.give_back(object);
    faultline_end_taking();
    if (ending != 0) held_locks--;
    return ending == 2;
}
