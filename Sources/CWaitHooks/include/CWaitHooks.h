#ifndef CWAITHOOKS_H
#define CWAITHOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// The kind of object for which a thread waits.
typedef enum {
    FAULTLINE_SEMAPHORE,
    FAULTLINE_GROUP,
    FAULTLINE_LOCK,
    FAULTLINE_READ_LOCK,
    FAULTLINE_WRITE_LOCK,
    FAULTLINE_CONDITION,
    /// A lock that inlined code takes. The lab is notified only when a thread waits for the lock.
    FAULTLINE_INLINED_LOCK,
    /// A lazily initialised value that another thread is creating.
    FAULTLINE_ONCE,
} faultline_wait_kind;

/// The operation of a thread that is about to take a system object, or to wait for it.
typedef struct faultline_wait {
    faultline_wait_kind kind;
    void *object;
    /// Whether code of the program, and not a library, takes the object. If so, the lab may let
    /// another thread run first.
    bool is_own;
    /// Whether the thread only tries to take the object, without waiting.
    bool is_try;
    bool has_time_out;
    /// Takes the object if no wait is necessary.
    bool (*take)(const struct faultline_wait *wait);
    /// Whether the thread could take the system object (lock, semaphore …) now without waiting. The
    /// callback does not take it.
    bool (*is_free)(const struct faultline_wait *wait);
    /// Returns the thread ID of the thread that holds the object; 0 if it is unknown. NULL for
    /// kinds of objects that are not held by a thread, such as semaphores.
    int (*holder)(const struct faultline_wait *wait);
    /// The time at which the wait ends, on Dispatch's clock or on a system clock.
    uint64_t dispatch_time;
    struct timespec time;
    clockid_t clock;
    bool has_dispatch_time;
    /// Further data that `take` needs.
    void *state;
} faultline_wait;

static inline bool faultline_take_now(const faultline_wait *wait) { return wait->take(wait); }
static inline bool faultline_could_take(const faultline_wait *wait) { return wait->is_free(wait); }
/// Nanoseconds until the time-out; less than 0 if it has passed.
int64_t faultline_time_left(const faultline_wait *wait);
/// Nanoseconds until a time of Dispatch's clock.
int64_t faultline_left_until(uint64_t dispatch_time);
/// The nanoseconds from the call of the thread to the time-out, as the thread passed them to
/// `dispatch_time`. If it computed the time-out otherwise, the nanoseconds that remain until then.
int64_t faultline_delay(const faultline_wait *wait);
int64_t faultline_delay_until(uint64_t dispatch_time);
static inline bool faultline_is_late(const faultline_wait *wait) {
    return wait->has_time_out && faultline_time_left(wait) <= 0;
}
static inline int faultline_holder(const faultline_wait *wait) {
    return wait->holder == NULL ? 0 : wait->holder(wait);
}

/// The callbacks with which the lab handles waits of a schedule's threads.
typedef struct {
    /// Waits in place of the calling thread. Returns 0 if the system must wait, 1 if the object was
    /// taken, 2 if the time-out came first.
    int (*wait)(const faultline_wait *wait);
    /// Releases a lock. Returns 0 for a lock that this callback has not taken, 1 if the system must
    /// release it, 2 if the thread never held it.
    int (*give_back)(void *object);
    /// Called when an object is created, signalled or destroyed, because threads that wait may then
    /// be able to continue.
    void (*made)(faultline_wait_kind kind, void *object);
    void (*signalled)(faultline_wait_kind kind, void *object);
    void (*gone)(void *object);
} faultline_wait_taker;

/// Installs callbacks for waits. They run on the thread that waits.
void faultline_take_waits(faultline_wait_taker taker);

/// Whether operations on the system's locks are passed to the callbacks. They are not if a
/// sanitizer replaces the system's functions.
bool faultline_watches_locks(void);

/// Unblocks the signal with which other threads read the call stack of the calling thread.
void faultline_allow_stacks(void);

/// Takes and releases a lock as code of the program would. The lab calls this function to test its
/// hooks.
void faultline_take_planted_lock(void);

/// The name of the library function that contains an address; NULL for another address.
const char *faultline_function_at(uintptr_t address);

/// Whether the replacements in `KeptThreads.c` are in effect. If a thread is pinned (see
/// `Cores.c`), they unpin it before it starts a thread or a process, which would inherit the
/// pinning. They also unpin it before it reads its number of cores.
bool faultline_hides_cores(void);

/// A callback that is called when the task of the calling thread switches from one serial executor
/// to another. 0 means no executor.
typedef void (*faultline_hop_taker)(uintptr_t from, uintptr_t to);

/// Installs a callback for tasks that change their executor. It runs on the thread of the task, if
/// the thread has a confinement scope.
void faultline_take_hops(faultline_hop_taker take);

/// Identifies the serial executor of the calling thread, such as an actor; 0 if the thread has
/// none.
uintptr_t faultline_current_executor(void);

/// Whether a task was cancelled.
bool faultline_is_cancelled(void *task);

/// Identifies the actor of a job that belongs to no task.
uintptr_t faultline_actor_of(void *job);

/// Whether a job is a reference-counted task. An `async let` is not one.
bool faultline_is_counted_task(void *job);

/// The function with which the program submitted work to a Dispatch queue.
typedef enum { FAULTLINE_ASYNC, FAULTLINE_BARRIER, FAULTLINE_SYNC, FAULTLINE_SYNC_BARRIER }
    faultline_work_kind;

/// The callbacks that receive the work that threads of a schedule submit to Dispatch. The lab runs
/// this work in place of Dispatch.
typedef struct {
    /// Enqueues work on a queue after `delay` nanoseconds. Returns false if Dispatch must enqueue
    /// the work.
    bool (*enqueue)(
        void *queue, faultline_work_kind kind, int64_t delay, void (*work)(void *), void *context);
    /// Runs work on a queue and waits until it has run. Returns false if Dispatch must run the
    /// work.
    bool (*run)(void *queue, faultline_work_kind kind, void (*work)(void *), void *context);
    /// If `work` is NULL, a member leaves the group; otherwise `work` runs when the group is empty.
    bool (*notify)(void *group, void *queue, void (*work)(void *), void *context);
    /// Runs work for each number below a count, concurrently.
    bool (*apply)(void *queue, size_t count, void (*work)(void *, size_t), void *context);
} faultline_work_taker;

/// Installs callbacks for work that is enqueued by threads with a confinement scope.
void faultline_take_work(faultline_work_taker taker);
/// From now on the callbacks for work also receive the timers of the main run loop. `fire` fires a
/// Foundation timer. Its argument is that timer, which the timer of the run loop contains as its
/// context.
void faultline_take_timers(void (*fire)(void *timer));
/// Calls Dispatch's original function.
void faultline_enqueue_really(
    void *queue, faultline_work_kind kind, int64_t delay, void (*work)(void *), void *context);
/// Runs work on a global queue without passing it to the callbacks.
void faultline_run_in_pool(void (*work)(void *), void *context);
void faultline_run_really(
    void *queue, faultline_work_kind kind, void (*work)(void *), void *context);
/// Runs work of a queue on the calling thread. Meanwhile assertions about the queue succeed, and
/// values that the program attached to the queue can be read.
void faultline_run_on(void *queue, void (*work)(void *), void *context);
void faultline_notify_really(void *group, void *queue, void (*work)(void *), void *context);
void faultline_apply_really(
    void *queue, size_t count, void (*work)(void *, size_t), void *context);
/// Whether a queue is the main queue, and the number of work items that can run on it at the same
/// time; 0 if that number is unknown.
bool faultline_is_main_queue(void *queue);
int faultline_queue_width(void *queue);
/// A queue's label; it lives as long as the queue.
const char *faultline_label(void *queue);
void faultline_retain_queue(void *queue);
void faultline_release_queue(void *queue);
/// Whether a group is empty.
bool faultline_is_group_empty(void *group);

/// A schedule that is printed if the process ends by a trap of a thread with its confinement scope.
typedef struct faultline_trap faultline_trap;
/// - Parameters:
///   - scope: the scope of the schedule's threads.
///   - before: the text before the steps of the schedule.
///   - after: the text after them.
faultline_trap *faultline_watch_traps(void *scope, const char *before, const char *after);
/// Forgets the steps of the previous schedule.
void faultline_begin_path(faultline_trap *trap);
void faultline_name_lane(faultline_trap *trap, int lane, const char *name);
void faultline_add_step(faultline_trap *trap, int lane);
void faultline_end_traps(faultline_trap *trap);

/// Starts or stops passing the calling thread's waits and work directly to the system, without the
/// callbacks.
void faultline_pass_through(bool passes);

#endif
