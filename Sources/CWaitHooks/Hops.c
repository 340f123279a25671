#include "CRuntimeShims.h"
#include "CWaitHooks.h"
#include "Originals.h"
#include <stdatomic.h>

// To enter or leave an actor, the compiled code of a task calls a function of the Swift runtime.
// The runtime has no hook for this function. This file therefore replaces the function. The
// replacement calls the original.
#define FAULTLINE_ASYNC_CALL __attribute__((swiftasynccall))
#define FAULTLINE_CONTEXT __attribute__((swift_async_context))

// The runtime's representation of a serial executor. Both words are 0 for no executor.
typedef struct {
    uintptr_t identity, kind;
} faultline_executor;

typedef FAULTLINE_ASYNC_CALL void (*switch_function)(
    FAULTLINE_CONTEXT void *context, void *resume, uintptr_t identity, uintptr_t kind);
typedef __attribute__((swiftcall)) faultline_executor (*executor_function)(void);
typedef __attribute__((swiftcall)) bool (*cancelled_function)(void *task);

static _Atomic(faultline_hop_taker) taker;
static _Atomic(executor_function) current;
static _Atomic(cancelled_function) is_cancelled;

void faultline_take_hops(faultline_hop_taker take) {
    atomic_store(
        &current, (executor_function)faultline_find_original("swift_task_getCurrentExecutor"));
    atomic_store(
        &is_cancelled, (cancelled_function)faultline_find_original("swift_task_isCancelled"));
    atomic_store(&taker, take);
}

uintptr_t faultline_current_executor(void) {
    executor_function find = atomic_load_explicit(&current, memory_order_relaxed);
    return find == NULL ? 0 : find().identity;
}

bool faultline_is_cancelled(void *task) {
    cancelled_function find = atomic_load_explicit(&is_cancelled, memory_order_relaxed);
    return find != NULL && find(task);
}

// The fields with which each job of the Swift runtime begins.
typedef struct {
    uintptr_t object[2], schedulers[2];
    uint32_t flags, number;
    uintptr_t reserved[2];
    void *run;
} faultline_job;

// In a job of an actor, the address of the actor follows the common fields.
uintptr_t faultline_actor_of(void *job) { return *(uintptr_t *)((faultline_job *)job + 1); }

// The lowest byte is the kind of the job. A task has kind 0. Bit 28 marks an `async let`, which
// lives in the memory of its creator.
bool faultline_is_counted_task(void *job) {
    return (((faultline_job *)job)->flags & (0xFFu | 1u << 28)) == 0;
}

FAULTLINE_ASYNC_CALL void swift_task_switch(
    FAULTLINE_CONTEXT void *context, void *resume, uintptr_t identity, uintptr_t kind) {
    static _Atomic(switch_function) original;
    if (original == NULL) {
        original = (switch_function)faultline_find_original("swift_task_switch");
    }
    faultline_hop_taker take = atomic_load_explicit(&taker, memory_order_relaxed);
    // If no schedule runs, this check costs two memory loads.
    if (take != NULL && faultline_get_scope() != NULL) {
        faultline_begin_taking();
        take(faultline_current_executor(), identity);
        faultline_end_taking();
    }
    switch_function go_on = original;
    __attribute__((musttail)) return go_on(context, resume, identity, kind);
}
