// Replaces Dispatch's functions that enqueue work. Otherwise Dispatch would run the work of a
// schedule's threads on threads that no schedule controls.

#define _GNU_SOURCE
#include "CWaitHooks.h"
#include "Originals.h"
#include "Taking.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Blocks are passed as addresses. The third word of a block is its function.
typedef struct {
    void *kind;
    int32_t flags, reserved;
    void (*invoke)(void *block);
} block_layout;

typedef void (*work_function)(void *);

void *_Block_copy(const void *block);
void _Block_release(const void *block);

void dispatch_async(void *queue, void *block);
void dispatch_async_f(void *queue, void *context, work_function work);
void dispatch_barrier_async(void *queue, void *block);
void dispatch_sync(void *queue, void *block);
void dispatch_barrier_sync(void *queue, void *block);
void dispatch_after(uint64_t when, void *queue, void *block);
void dispatch_group_async(void *group, void *queue, void *block);
void dispatch_group_notify(void *group, void *queue, void *block);
void dispatch_group_enter(void *group);
void dispatch_group_leave(void *group);
void dispatch_apply(size_t count, void *queue, void *block);
const char *dispatch_queue_get_label(void *queue);
void dispatch_retain(void *object);
void dispatch_release(void *object);
extern char _dispatch_main_q[] __attribute__((weak));

static faultline_work_taker taker;
static bool has_taker;

void faultline_take_work(faultline_work_taker wanted) {
    taker = wanted;
    __atomic_store_n(&has_taker, true, __ATOMIC_RELEASE);
}

static bool may_take(void) {
    return __atomic_load_n(&has_taker, __ATOMIC_ACQUIRE) && faultline_is_watched();
}

// Whether the lab may run the work of a queue. XCTest's own queues, which it uses for waits and
// time-outs, are not part of the program.
static bool may_take_on(void *queue) {
    static const char xctest[] = "org.swift.XCTest";
    return may_take()
        && (queue == NULL || strncmp(faultline_label(queue), xctest, sizeof xctest - 1) != 0);
}

static void *copy_block(const void *block) {
    FAULTLINE_ORIGINAL(_Block_copy);
    return original(block);
}

static void release_block(void *block) {
    FAULTLINE_ORIGINAL(_Block_release);
    original(block);
}

static void run_lent_block(void *block) {
    faultline_run_watched(((block_layout *)block)->invoke, block);
}

static void run_block(void *block) {
    run_lent_block(block);
    release_block(block);
}

typedef struct {
    work_function run;
    void *context;
} faultline_work;

static void run_later(void *state) {
    faultline_work work = *(faultline_work *)state;
    free(state);
    faultline_run_watched(work.run, work.context);
}

static bool enqueue(void *queue, faultline_work_kind kind, int64_t delay, void *block) {
    if (!may_take_on(queue)) return false;
    void *copy = copy_block(block);
    faultline_begin_taking();
    bool is_taken = taker.enqueue(queue, kind, delay, run_block, copy);
    faultline_end_taking();
    if (!is_taken) release_block(copy);
    return is_taken;
}

void dispatch_async(void *queue, void *block) {
    FAULTLINE_ORIGINAL(dispatch_async);
    if (!enqueue(queue, FAULTLINE_ASYNC, 0, block)) original(queue, block);
}

// Swift's runtime enqueues jobs of the main actor on the main queue.
void dispatch_async_f(void *queue, void *context, work_function work) {
    FAULTLINE_ORIGINAL(dispatch_async_f);
    if (faultline_is_main_queue(queue) && may_take()) {
        faultline_work *later = malloc(sizeof *later);
        *later = (faultline_work){work, context};
        faultline_begin_taking();
        bool is_taken = taker.enqueue(queue, FAULTLINE_ASYNC, 0, run_later, later);
        faultline_end_taking();
        if (is_taken) return;
        free(later);
    }
    original(queue, context, work);
}

void dispatch_barrier_async(void *queue, void *block) {
    FAULTLINE_ORIGINAL(dispatch_barrier_async);
    if (!enqueue(queue, FAULTLINE_BARRIER, 0, block)) original(queue, block);
}

bool faultline_enqueue_on_main(int64_t delay, void (*work)(void *), void *context) {
    if (!may_take()) return false;
    faultline_begin_taking();
    bool is_taken = taker.enqueue(_dispatch_main_q, FAULTLINE_ASYNC, delay, work, context);
    faultline_end_taking();
    return is_taken;
}

bool faultline_enqueue_block_on_main(void *block) {
    return enqueue(_dispatch_main_q, FAULTLINE_ASYNC, 0, block);
}

static void run(
    void *queue, faultline_work_kind kind, void *block, void (*original)(void *, void *)) {
    if (may_take_on(queue)) {
        faultline_begin_taking();
        bool is_taken = taker.run(queue, kind, run_lent_block, block);
        faultline_end_taking();
        if (is_taken) return;
    }
    original(queue, block);
}

void dispatch_sync(void *queue, void *block) {
    FAULTLINE_ORIGINAL(dispatch_sync);
    run(queue, FAULTLINE_SYNC, block, original);
}

void dispatch_barrier_sync(void *queue, void *block) {
    FAULTLINE_ORIGINAL(dispatch_barrier_sync);
    run(queue, FAULTLINE_SYNC_BARRIER, block, original);
}

void dispatch_after(uint64_t when, void *queue, void *block) {
    FAULTLINE_ORIGINAL(dispatch_after);
    // Work with an infinite delay is passed to Dispatch.
    bool is_taken = false;
    if (when != ~0ull && may_take()) {
        int64_t left = faultline_delay_until(when);
        is_taken = enqueue(queue, FAULTLINE_ASYNC, left < 1 ? 1 : left, block);
    }
    if (!is_taken) original(when, queue, block);
}

// MARK: Groups

typedef struct {
    void *group, *block;
} grouped_work;

static void run_grouped(void *state) {
    grouped_work work = *(grouped_work *)state;
    free(state);
    run_block(work.block);
    dispatch_group_leave(work.group);
    FAULTLINE_ORIGINAL(dispatch_release);
    original(work.group);
}

void dispatch_group_async(void *group, void *queue, void *block) {
    FAULTLINE_ORIGINAL(dispatch_group_async);
    if (may_take_on(queue)) {
        grouped_work *work = malloc(sizeof *work);
        FAULTLINE_ORIGINAL(dispatch_retain);
        original(group);
        dispatch_group_enter(group);
        *work = (grouped_work){group, copy_block(block)};
        faultline_begin_taking();
        bool is_taken = taker.enqueue(queue, FAULTLINE_ASYNC, 0, run_grouped, work);
        faultline_end_taking();
        if (is_taken) return;
        dispatch_group_leave(group);
        release_block(work->block);
        free(work);
    }
    original(group, queue, block);
}

void dispatch_group_notify(void *group, void *queue, void *block) {
    FAULTLINE_ORIGINAL(dispatch_group_notify);
    if (may_take_on(queue)) {
        void *copy = copy_block(block);
        faultline_begin_taking();
        bool is_taken = taker.notify(group, queue, run_block, copy);
        faultline_end_taking();
        if (is_taken) return;
        release_block(copy);
    }
    original(group, queue, block);
}

void faultline_note_leave(void *group) {
    if (!may_take()) return;
    faultline_begin_taking();
    taker.notify(group, NULL, NULL, NULL);
    faultline_end_taking();
}

typedef struct {
    void *kind;
    int32_t flags, reserved;
    void (*invoke)(void *block, size_t number);
} counted_block;

typedef struct {
    counted_block *block;
    size_t number;
} numbered_call;

static void run_numbered(void *state) {
    numbered_call *call = state;
    call->block->invoke(call->block, call->number);
}

static void run_counted(void *block, size_t number) {
    numbered_call call = {block, number};
    faultline_run_watched(run_numbered, &call);
}

void dispatch_apply(size_t count, void *queue, void *block) {
    FAULTLINE_ORIGINAL(dispatch_apply);
    if (may_take_on(queue)) {
        faultline_begin_taking();
        bool is_taken = taker.apply(queue, count, run_counted, block);
        faultline_end_taking();
        if (is_taken) return;
    }
    original(count, queue, block);
}

// MARK: Dispatch itself

void dispatch_barrier_async_f(void *queue, void *context, work_function work);
void dispatch_after_f(uint64_t when, void *queue, void *context, work_function work);
void dispatch_sync_f(void *queue, void *context, work_function work);
void dispatch_barrier_sync_f(void *queue, void *context, work_function work);
void dispatch_group_notify_f(void *group, void *queue, void *context, work_function work);
void dispatch_apply_f(size_t count, void *queue, void *context, void (*work)(void *, size_t));
uint64_t dispatch_time(uint64_t when, int64_t delta);

void faultline_enqueue_really(
    void *queue, faultline_work_kind kind, int64_t delay, void (*work)(void *), void *context) {
    if (delay > 0) {
        FAULTLINE_ORIGINAL(dispatch_after_f);
        FAULTLINE_ORIGINAL_AS(time, dispatch_time);
        original(time(0, delay), queue, context, work);
    } else if (kind == FAULTLINE_BARRIER) {
        FAULTLINE_ORIGINAL(dispatch_barrier_async_f);
        original(queue, context, work);
    } else {
        FAULTLINE_ORIGINAL(dispatch_async_f);
        original(queue, context, work);
    }
}

void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);

void faultline_run_in_pool(void (*work)(void *), void *context) {
    faultline_enqueue_really(dispatch_get_global_queue(0, 0), FAULTLINE_ASYNC, 0, work, context);
}

void faultline_run_really(
    void *queue, faultline_work_kind kind, void (*work)(void *), void *context) {
    if (kind == FAULTLINE_SYNC_BARRIER) {
        FAULTLINE_ORIGINAL(dispatch_barrier_sync_f);
        original(queue, context, work);
    } else {
        FAULTLINE_ORIGINAL(dispatch_sync_f);
        original(queue, context, work);
    }
}

void faultline_notify_really(void *group, void *queue, void (*work)(void *), void *context) {
    FAULTLINE_ORIGINAL(dispatch_group_notify_f);
    original(group, queue, context, work);
}

void faultline_apply_really(
    void *queue, size_t count, void (*work)(void *, size_t), void *context) {
    FAULTLINE_ORIGINAL(dispatch_apply_f);
    original(count, queue, context, work);
}

// MARK: Queues

// A linked list of the queues whose blocks the calling thread runs in place of Dispatch, innermost
// first.
typedef struct entered_queue {
    void *queue;
    struct entered_queue *outer;
} entered_queue;

static _Thread_local entered_queue *entered;

void faultline_run_on(void *queue, work_function work, void *context) {
    entered_queue own = {queue, entered};
    entered = &own;
    work(context);
    entered = own.outer;
}

static bool is_on(void *queue) {
    for (entered_queue *each = entered; each != NULL; each = each->outer) {
        if (each->queue == queue) return true;
    }
    return false;
}

// Swift's `sync` asserts that its block runs on the queue. Programs assert the same with
// `dispatchPrecondition`.
void dispatch_assert_queue(void *queue) {
    FAULTLINE_ORIGINAL(dispatch_assert_queue);
    if (!is_on(queue)) original(queue);
}

void dispatch_assert_queue_barrier(void *queue) {
    FAULTLINE_ORIGINAL(dispatch_assert_queue_barrier);
    if (!is_on(queue)) original(queue);
}

void *dispatch_queue_get_specific(void *queue, const void *key);

void *dispatch_get_specific(const void *key) {
    FAULTLINE_ORIGINAL(dispatch_get_specific);
    for (entered_queue *each = entered; each != NULL; each = each->outer) {
        void *value = dispatch_queue_get_specific(each->queue, key);
        if (value != NULL) return value;
    }
    return original(key);
}

bool faultline_is_on_main_queue(void) { return is_on(_dispatch_main_q); }

bool faultline_is_main_queue(void *queue) { return queue == (void *)_dispatch_main_q; }

const char *faultline_label(void *queue) {
    FAULTLINE_ORIGINAL(dispatch_queue_get_label);
    const char *label = original(queue);
    return label == NULL ? "" : label;
}

void faultline_retain_queue(void *queue) {
    FAULTLINE_ORIGINAL(dispatch_retain);
    original(queue);
}

void faultline_release_queue(void *queue) {
    FAULTLINE_ORIGINAL(dispatch_release);
    original(queue);
}

void *dispatch_queue_create(const char *label, void *attributes);
extern char _dispatch_queue_attr_concurrent[] __attribute__((weak));

// Dispatch does not report the width of a queue (the number of blocks that it can run at the same
// time). The width is in the lower half of a word of the queue object. The position of this word is
// found by comparing three queues of known widths.
#define WORDS_MAX 40

static int width_word(void) {
    static _Atomic int known;
    if (known != 0) return known;
    FAULTLINE_ORIGINAL(dispatch_queue_create);
    void *serial = original("faultline.serial", NULL);
    void *other = original("faultline.serial", NULL);
    void *concurrent = original("faultline.concurrent", _dispatch_queue_attr_concurrent);
    int found = -1;
    for (int word = 0; word < WORDS_MAX && found < 0; word++) {
        uint16_t widths[3];
        memcpy(&widths[0], (char *)serial + 4 * word, 2);
        memcpy(&widths[1], (char *)other + 4 * word, 2);
        memcpy(&widths[2], (char *)concurrent + 4 * word, 2);
        if (widths[0] == 1 && widths[1] == 1 && widths[2] >= 0xff0 && widths[2] <= 0xfff) {
            found = word;
        }
    }
    faultline_release_queue(serial);
    faultline_release_queue(other);
    faultline_release_queue(concurrent);
    return known = found;
}

int faultline_queue_width(void *queue) {
    int word = width_word();
    if (word < 0) return 0;
    uint16_t width;
    memcpy(&width, (char *)queue + 4 * word, 2);
    return width;
}
