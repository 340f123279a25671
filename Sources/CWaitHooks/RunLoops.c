// Replaces the functions of Foundation that add work to the main run loop, because only the main
// thread runs that loop. A schedule runs the work as a block of the main queue instead.

#define _GNU_SOURCE
#include "CWaitHooks.h"
#include "Originals.h"
#include "Taking.h"
#include <stdlib.h>

// The declarations are copied from CoreFoundation, which is a part of Foundation on Linux. A
// program without Foundation has no run loops.
#define WEAK __attribute__((weak))
typedef struct {
    intptr_t version;
    void *info;
    void *retain, *release, *describe;
} timer_context;

void *CFRunLoopGetMain(void) WEAK;
void *CFRunLoopGetCurrent(void) WEAK;
void CFRunLoopTimerGetContext(void *timer, timer_context *context) WEAK;
unsigned char CFRunLoopTimerIsValid(void *timer) WEAK;
unsigned char CFRunLoopTimerDoesRepeat(void *timer) WEAK;
double CFRunLoopTimerGetInterval(void *timer) WEAK;
double CFRunLoopTimerGetNextFireDate(void *timer) WEAK;
double CFAbsoluteTimeGetCurrent(void) WEAK;
const void *CFRetain(const void *object) WEAK;
void CFRelease(const void *object) WEAK;
void CFRunLoopAddTimer(void *loop, void *timer, const void *mode);
void CFRunLoopPerformBlock(void *loop, const void *mode, void *block);

static void (*fire_timer)(void *timer);

void faultline_take_timers(void (*fire)(void *timer)) {
    __atomic_store_n(&fire_timer, fire, __ATOMIC_RELEASE);
}

// Whether a run loop is the main run loop, or the run loop of a thread that runs a block of the
// main queue.
static bool is_main_loop(void *loop) {
    if (!faultline_is_watched() || CFRunLoopGetMain == NULL) return false;
    return loop == CFRunLoopGetMain()
        || (loop == CFRunLoopGetCurrent() && faultline_is_on_main_queue());
}

// The maximum number of times that a repeating timer fires. Without a maximum the schedule would
// never end.
#define FIRINGS_MAX 3

typedef struct {
    void *timer;
    int firings;
} added_timer;

static bool enqueue_timer(added_timer *added, double delay);

static void run_timer(void *state) {
    added_timer *added = state;
    void *timer = added->timer;
    added->firings++;
    if (CFRunLoopTimerIsValid(timer)) {
        timer_context context = {0};
        CFRunLoopTimerGetContext(timer, &context);
        faultline_run_watched(fire_timer, context.info);
    }
    bool repeats = added->firings < FIRINGS_MAX && CFRunLoopTimerDoesRepeat(timer)
        && CFRunLoopTimerIsValid(timer);
    if (repeats && enqueue_timer(added, CFRunLoopTimerGetInterval(timer))) return;
    CFRelease(timer);
    free(added);
}

static bool enqueue_timer(added_timer *added, double delay) {
    int64_t left = delay > 1e9 ? (int64_t)1e18 : (int64_t)(delay * 1e9);
    return faultline_enqueue_on_main(left < 1 ? 1 : left, run_timer, added);
}

void CFRunLoopAddTimer(void *loop, void *timer, const void *mode) {
    FAULTLINE_ORIGINAL(CFRunLoopAddTimer);
    bool is_own = fire_timer != NULL && is_main_loop(loop)
        && faultline_is_own_call(__builtin_frame_address(0));
    if (is_own) {
        added_timer *added = malloc(sizeof *added);
        *added = (added_timer){timer, 0};
        CFRetain(timer);
        if (enqueue_timer(added, CFRunLoopTimerGetNextFireDate(timer) - CFAbsoluteTimeGetCurrent()))
            return;
        CFRelease(timer);
        free(added);
    }
    original(loop, timer, mode);
}

void CFRunLoopPerformBlock(void *loop, const void *mode, void *block) {
    FAULTLINE_ORIGINAL(CFRunLoopPerformBlock);
    bool is_own = is_main_loop(loop) && faultline_is_own_call(__builtin_frame_address(0));
    if (!is_own || !faultline_enqueue_block_on_main(block)) original(loop, mode, block);
}
