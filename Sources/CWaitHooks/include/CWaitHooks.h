#ifndef CWAITHOOKS_H
#define CWAITHOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// What a thread waits for.
typedef enum {
    FAULTLINE_SEMAPHORE,
    FAULTLINE_GROUP,
    FAULTLINE_LOCK,
    FAULTLINE_READ_LOCK,
    FAULTLINE_WRITE_LOCK,
    FAULTLINE_CONDITION,
    /// A lock whose taking is compiled into the program: only a wait for it is seen.
    FAULTLINE_INLINED_LOCK,
    /// A value that another thread makes for the first time.
    FAULTLINE_ONCE,
} faultline_wait_kind;

/// A thread is about to take, or to wait for, something of the system's.
typedef struct faultline_wait {
    faultline_wait_kind kind;
    void *object;
    /// The program's own code does it, so another thread may go on before.
    bool is_own;
    /// It does not wait.
    bool is_try;
    bool has_time_out;
    /// Takes it if that needs no waiting.
    bool (*take)(const struct faultline_wait *wait);
    /// Whether it could be taken now; takes nothing.
    bool (*is_free)(const struct faultline_wait *wait);
    /// The number of the thread that has it, as the system knows it; 0 for an unknown one. NULL
    /// where no thread has such a thing.
    int (*holder)(const struct faultline_wait *wait);
    /// When the time-out comes, by Dispatch's clock or by one of the system's.
    uint64_t dispatch_time;
    struct timespec time;
    clockid_t clock;
    bool has_dispatch_time;
    /// What else `take` needs.
    void *state;
} faultline_wait;

static inline bool faultline_take_now(const faultline_wait *wait) { return wait->take(wait); }
static inline bool faultline_could_take(const faultline_wait *wait) { return wait->is_free(wait); }
/// Nanoseconds until the time-out; less than 0 where it has come.
int64_t faultline_time_left(const faultline_wait *wait);
/// Nanoseconds until a time of Dispatch's.
int64_t faultline_left_until(uint64_t dispatch_time);
static inline bool faultline_is_late(const faultline_wait *wait) {
    return wait->has_time_out && faultline_time_left(wait) <= 0;
}
static inline int faultline_holder(const faultline_wait *wait) {
    return wait->holder == NULL ? 0 : wait->holder(wait);
}

/// Who decides about the waits of a schedule's threads.
typedef struct {
    /// Waits in place of the calling thread. Returns 0 where the system is to wait, 1 where it was
    /// taken, 2 where the time-out came first.
    int (*wait)(const faultline_wait *wait);
    /// A lock is given back. Returns 0 for one that was not taken here, 1 where the system is to
    /// do it, 2 where the thread never had it.
    int (*give_back)(void *object);
    /// Something was made, signalled, or is gone: what others wait for has changed.
    void (*made)(faultline_wait_kind kind, void *object);
    void (*signalled)(faultline_wait_kind kind, void *object);
    void (*gone)(void *object);
} faultline_wait_taker;

/// From now on waits are offered to a taker, on the thread that waits.
void faultline_take_waits(faultline_wait_taker taker);

/// Whether locks of the system's come to a taker. A sanitizer has its own functions in their place.
bool faultline_watches_locks(void);

/// Takes a lock and gives it back, as a program would.
void faultline_take_planted_lock(void);

/// The function of a library that has an address; NULL for another one.
const char *faultline_function_at(uintptr_t address);

/// Whether a thread that is kept on one core (see `Cores.c`) is released before it starts a thread
/// or a process, which would inherit the core, and before it reads its number of cores.
bool faultline_hides_cores(void);

/// Hears that the task of the calling thread goes from one serial executor to another; 0 is none.
typedef void (*faultline_hop_taker)(uintptr_t from, uintptr_t to);

/// From now on such hops are told, on the thread of a scope that makes them.
void faultline_take_hops(faultline_hop_taker take);

/// Identifies the serial executor of the calling thread, an actor say; 0 where it has none.
uintptr_t faultline_current_executor(void);

/// Whether a task was cancelled.
bool faultline_is_cancelled(void *task);

/// Identifies the actor that a job serves which belongs to no task.
uintptr_t faultline_actor_of(void *job);

/// Whether a job is a task that lives as long as somebody keeps it.
bool faultline_is_counted_task(void *job);

/// What code puts on Dispatch's queues.
typedef enum { FAULTLINE_ASYNC, FAULTLINE_BARRIER, FAULTLINE_SYNC, FAULTLINE_SYNC_BARRIER }
    faultline_work_kind;

/// Who runs the work of a schedule's threads in place of Dispatch.
typedef struct {
    /// Takes work for a queue; `delay` in nanoseconds. Returns false where Dispatch is to have it.
    bool (*enqueue)(
        void *queue, faultline_work_kind kind, int64_t delay, void (*work)(void *), void *context);
    /// Runs work on a queue and waits for it. Returns false where Dispatch is to do it.
    bool (*run)(void *queue, faultline_work_kind kind, void (*work)(void *), void *context);
    /// A group is left, or is to tell when it is empty: `work` is NULL for the former.
    bool (*notify)(void *group, void *queue, void (*work)(void *), void *context);
    /// Runs work for each number below a count, side by side.
    bool (*apply)(void *queue, size_t count, void (*work)(void *, size_t), void *context);
} faultline_work_taker;

/// From now on work of threads of a scope is offered to a taker.
void faultline_take_work(faultline_work_taker taker);
/// What Dispatch does itself.
void faultline_enqueue_really(
    void *queue, faultline_work_kind kind, int64_t delay, void (*work)(void *), void *context);
void faultline_run_really(
    void *queue, faultline_work_kind kind, void (*work)(void *), void *context);
void faultline_notify_really(void *group, void *queue, void (*work)(void *), void *context);
void faultline_apply_really(
    void *queue, size_t count, void (*work)(void *, size_t), void *context);
/// Whether a queue is the main one, and how many pieces of work run on it at once; 0 where that is
/// not known.
bool faultline_is_main_queue(void *queue);
int faultline_queue_width(void *queue);
/// A queue's label; it lives as long as the queue.
const char *faultline_label(void *queue);
void faultline_retain_queue(void *queue);
void faultline_release_queue(void *queue);
/// Whether nothing is in a group.
bool faultline_is_group_empty(void *group);

/// Has the calling thread take work to a real queue, and take no waits, or again as before.
void faultline_pass_through(bool passes);

#endif
