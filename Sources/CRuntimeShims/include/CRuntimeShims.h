#ifndef CRUNTIMESHIMS_H
#define CRUNTIMESHIMS_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Retains a Swift object unless its deinitialisation has begun.
///
/// The identity map holds its objects weakly and may find one that another thread is releasing.
/// Swift has no public function that retains an object only if it is alive.
bool faultline_try_retain(void *object);

/// Retains a Swift object several times at the price of one.
void faultline_retain(void *object, uint32_t count);

/// A mark in memory that one thread sets while others read it. It does not order memory accesses;
/// the locks and queues around it do.
static inline bool faultline_is_marked(const void *mark) {
    return __atomic_load_n((const uint8_t *)mark, __ATOMIC_RELAXED);
}
static inline void faultline_mark(void *mark, bool is_set) {
    __atomic_store_n((uint8_t *)mark, is_set, __ATOMIC_RELAXED);
}

/// The number of bytes that malloc has allocated; for tests.
intptr_t faultline_heap_bytes(void);

/// Seconds since 1970 by the clock of the kernel's last tick, which costs a tenth of the exact
/// clock.
double faultline_coarse_time(void);

/// A number that is unique among running threads; never zero.
static inline uintptr_t faultline_thread_id(void) {
#if defined(__x86_64__) || defined(__aarch64__)
    return (uintptr_t)__builtin_thread_pointer();
#else
    return (uintptr_t)pthread_self();
#endif
}

/// Renames a file or folder in one step, to a new name, or with `exchanges` to the name of another
/// file, which gets the first one's name. Returns 0 or errno; Swift's Glibc does not export the
/// call.
int faultline_rename(const char *path, const char *target, bool exchanges);

/// One variable argument of C.
typedef union {
    int64_t integer;
    double number;
    const void *address;
} faultline_argument;

/// Reads variable arguments, one for each letter of `kinds`: `i` an int, `u` an unsigned int, `l`
/// 64 bits, `d` a double, `L` a long double, `p` an address.
void faultline_read_arguments(va_list list, const char *kinds, faultline_argument *found);

/// Reads the word at an address of unknown origin; returns 0 if it cannot be read.
int faultline_peek(const void *address, uintptr_t *word);

/// The number of the process's initial thread.
uintptr_t faultline_initial_thread(void);

/// The core that the calling thread runs on, and the system's number of the thread.
int faultline_current_core(void);
int faultline_thread_number(void);
/// Whether others allow the calling thread more than one core.
bool faultline_may_change_core(void);
/// Keeps the calling thread on its current core, and returns the core.
int faultline_keep_here(void);
/// Moves the calling thread to the core that is `steps` cores after `core`, among its allowed
/// cores, and keeps it there.
void faultline_keep_behind(int core, int steps);
/// Moves another kept thread to a core.
void faultline_keep_thread(int thread, int core);
/// Notes the core of the calling thread, which is kept and which others may have moved.
void faultline_note_core(void);
/// Releases the calling thread, if it is kept, to its earlier cores.
void faultline_leave_core(void);
/// Lets a thread run on the cores that the calling thread had before it was kept.
void faultline_free_thread(int thread);

/// The head of the calling thread's list of the queues that it holds; see `HeldQueues.swift`.
void *faultline_get_held_queues(void);
void faultline_set_held_queues(void *first);

/// The context whose block the calling thread runs; see `NSManagedObjectContext+Queue.swift`.
void *faultline_get_context(void);
void faultline_set_context(void *context);

/// The scope that the calling thread belongs to; see `ConfinementScope.swift`.
void *faultline_get_scope(void);
void faultline_set_scope(void *scope);

/// Takes a job of Swift's concurrency instead of the global pool, with the number of its task;
/// returns false for a job that the pool must run.
typedef bool (*faultline_job_taker)(void *job, uint64_t id);
/// Offers later jobs that a thread of a scope passes to the global pool to `take`, and while jobs
/// are known those of every thread. Returns false if the runtime has no such hook.
bool faultline_take_jobs(faultline_job_taker take);
/// The number of a job's task; 0 if it is unknown.
uint64_t faultline_job_id(void *job);
/// Changes the number of tasks whose jobs belong to a schedule.
void faultline_know_jobs(int32_t change);

/// The label of the Dispatch queue whose work the calling thread runs; NULL without Dispatch. It
/// lives as long as the queue.
const char *faultline_queue_label(void);

/// Finds the program or library that contains an address, and its base address; the path lives as
/// long as the image.
bool faultline_find_image(const void *address, const char **path, uintptr_t *base);
/// Writes the calls that the calling thread is inside of, innermost first, and returns their
/// number.
size_t faultline_call_stack(uintptr_t *places, size_t capacity);
/// Writes the calls of a chain of frame records that begins at `frame`; reads none at or after
/// `end`.
size_t faultline_walk_frames(
    uintptr_t frame, uintptr_t end, uintptr_t *places, size_t capacity);
/// Demangles a Swift name; the caller frees the result. NULL for other names.
char *faultline_demangle(const char *name, size_t length);

/// Called where a context's block ends and where its caller continues; see `AwaitedBlock.c`.
void faultline_end_block(void *context);
void faultline_await_block(void *context);

/// Calls the body with each class among the program's types that has the name, at any depth of
/// nesting: the name of its module and its metadata.
void faultline_classes_named(
    const char *name, void *state,
    void (*found)(void *state, const char *module, const void *metadata));

#endif
