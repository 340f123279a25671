#ifndef CRUNTIMESHIMS_H
#define CRUNTIMESHIMS_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Retains a Swift object unless its deinitialisation has begun.
///
/// The identity map holds its objects weakly and may meet one that another thread is just
/// releasing; Swift has no public spelling for "retain if still alive".
bool faultline_try_retain(void *object);

/// Retains a Swift object several times at the price of one.
void faultline_retain(void *object, uint32_t count);

/// A mark in memory that one thread sets while others read it; without order, which comes from the
/// locks and queues around it.
static inline bool faultline_is_marked(const void *mark) {
    return __atomic_load_n((const uint8_t *)mark, __ATOMIC_RELAXED);
}
static inline void faultline_mark(void *mark, bool is_set) {
    __atomic_store_n((uint8_t *)mark, is_set, __ATOMIC_RELAXED);
}

/// How many bytes malloc has given out; for tests.
intptr_t faultline_heap_bytes(void);

/// Seconds since 1970 by the clock of the kernel's last tick, which costs a tenth of the exact one.
double faultline_coarse_time(void);

/// A number that names the calling thread among those that run; never zero.
static inline uintptr_t faultline_thread_id(void) {
#if defined(__x86_64__) || defined(__aarch64__)
    return (uintptr_t)__builtin_thread_pointer();
#else
    return (uintptr_t)pthread_self();
#endif
}

/// Gives a file or folder another name, in one step: one that nobody has, or that of another, which
/// gets the first one's. Returns 0 or what errno says; Swift's Glibc does not have the call.
int faultline_rename(const char *path, const char *target, bool exchanges);

/// One of C's variable arguments.
typedef union {
    int64_t integer;
    double number;
    const void *address;
} faultline_argument;

/// Reads variable arguments, one for each letter of `kinds`: `i` an int, `u` an unsigned one, `l`
/// 64 bits, `d` a double, `L` a long double, `p` an address.
void faultline_read_arguments(va_list list, const char *kinds, faultline_argument *found);

/// Reads the word at an address of unknown origin; 0 where nothing can be read.
int faultline_peek(const void *address, uintptr_t *word);

/// The number of the thread that the process began with.
uintptr_t faultline_initial_thread(void);

/// The core that the calling thread runs on, and the number by which the system knows the thread.
int faultline_current_core(void);
int faultline_thread_number(void);
/// Whether the calling thread may run on more than one core, by the will of others.
bool faultline_may_change_core(void);
/// Keeps the calling thread on the core where it is; returns which one that is.
int faultline_keep_here(void);
/// Moves the calling thread so many cores on from one, of those that it may run on, and keeps it
/// there.
void faultline_keep_behind(int core, int steps);
/// Moves another thread, which is kept, to a core.
void faultline_keep_thread(int thread, int core);
/// The calling thread is kept, and others may have moved it.
void faultline_note_core(void);
/// Lets the calling thread, if it is kept, run where it could before.
void faultline_leave_core(void);
/// Lets a thread run wherever the calling one could before it was kept.
void faultline_free_thread(int thread);

/// The head of the calling thread's list of the queues that it holds; see `HeldQueues.swift`.
void *faultline_get_held_queues(void);
void faultline_set_held_queues(void *first);

/// The context whose block the calling thread runs; see `NSManagedObjectContext+Queue.swift`.
void *faultline_get_context(void);
void faultline_set_context(void *context);

/// The scope whose thread the calling one is; see `ConfinementScope.swift`.
void *faultline_get_scope(void);
void faultline_set_scope(void *scope);

/// Takes a job of Swift's concurrency in place of the global pool, with the number of its task;
/// returns false for one that the pool is to run.
typedef bool (*faultline_job_taker)(void *job, uint64_t id);
/// From now on jobs that a thread of a scope hands to the global pool are offered to `take`, and
/// while jobs are known those of every thread. Returns false where the runtime has no such hook.
bool faultline_take_jobs(faultline_job_taker take);
/// The number of a job's task; 0 where it is not known.
uint64_t faultline_job_id(void *job);
/// Tells that there are so many more tasks whose jobs belong to a schedule.
void faultline_know_jobs(int32_t change);

/// The label of the Dispatch queue whose work the calling thread runs; NULL without Dispatch. It
/// lives as long as the queue.
const char *faultline_queue_label(void);

/// The program or library that has an address, and where it begins; the path lives as long as the
/// image.
bool faultline_find_image(const void *address, const char **path, uintptr_t *base);
/// The calls that the calling thread is inside of, innermost first; how many there are.
size_t faultline_call_stack(uintptr_t *places, size_t capacity);
/// The calls that another thread is inside of, which it is interrupted for.
size_t faultline_call_stack_of(int thread, uintptr_t *places, size_t capacity);
/// The calls of a chain of frame records that begins at `frame`; reads none at `end` or behind it.
size_t faultline_walk_frames(
    uintptr_t frame, uintptr_t end, uintptr_t *places, size_t capacity);
/// A mangled name of Swift's as people read it, to be freed; NULL for another.
char *faultline_demangle(const char *name, size_t length);

/// Say where a context's block has ended and where its caller goes on; see `AwaitedBlock.c`.
void faultline_end_block(void *context);
void faultline_await_block(void *context);

/// Calls the body with each class of the program's types that has the name, however deep it is
/// nested: the name of its module and its metadata.
void faultline_classes_named(
    const char *name, void *state,
    void (*found)(void *state, const char *module, const void *metadata));

#endif
