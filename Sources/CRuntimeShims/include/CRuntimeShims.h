#ifndef CRUNTIMESHIMS_H
#define CRUNTIMESHIMS_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Retains a Swift object unless its deinitialisation has begun.
///
/// For example, a look-up in the identity map, which holds its objects weakly, may find an object
/// that another thread is releasing. Swift has no public function for this.
bool faultline_try_retain(void *object);

/// Retains a Swift object several times, at the cost of retaining it once.
void faultline_retain(void *object, uint32_t count);

/// A flag in memory that one thread sets while others read it. It imposes no memory order; callers
/// synchronise with locks and queues.
static inline bool faultline_is_marked(const void *mark) {
    return __atomic_load_n((const uint8_t *)mark, __ATOMIC_RELAXED);
}
static inline void faultline_mark(void *mark, bool is_set) {
    __atomic_store_n((uint8_t *)mark, is_set, __ATOMIC_RELAXED);
}

/// The number of bytes that malloc has allocated; for tests.
intptr_t faultline_heap_bytes(void);

/// Seconds since 1970 from the kernel's coarse clock, which takes a tenth of the time of the exact
/// clock.
double faultline_coarse_time(void);

/// Identifies the calling thread among the running threads; never zero.
static inline uintptr_t faultline_thread_id(void) {
#if defined(__x86_64__) || defined(__aarch64__)
    return (uintptr_t)__builtin_thread_pointer();
#else
    return (uintptr_t)pthread_self();
#endif
}

/// Renames a file or folder in one step, to an unused name, or exchanges the names of two files or
/// folders. Returns 0 or errno. Swift's Glibc module lacks this system call.
int faultline_rename(const char *path, const char *target, bool exchanges);

/// The value of one variable argument of a C function.
typedef union {
    int64_t integer;
    double number;
    const void *address;
} faultline_argument;

/// Reads variable arguments, one for each letter of `kinds`: `i` an int, `u` an unsigned int, `l`
/// 64 bits, `d` a double, `L` a long double, `p` an address.
void faultline_read_arguments(va_list list, const char *kinds, faultline_argument *found);

/// Reads the word at an address of unknown origin; returns 0 if it is not readable.
int faultline_peek(const void *address, uintptr_t *word);

/// Identifies the initial thread of the process.
uintptr_t faultline_initial_thread(void);

/// The core on which the calling thread runs, and the thread's ID in the system.
int faultline_current_core(void);
int faultline_thread_number(void);
/// Whether the system allows the calling thread more than one core.
bool faultline_may_change_core(void);
/// Pins the calling thread to its current core and returns that core.
int faultline_keep_here(void);
/// Pins the calling thread to the core that follows `core` by `steps` in the list of allowed cores.
void faultline_keep_behind(int core, int steps);
/// Moves another thread, which is pinned to a core, to the given core.
void faultline_keep_thread(int thread, int core);
/// Updates the recorded core of the calling thread, which another thread may have pinned to a
/// different one.
void faultline_note_core(void);
/// Unpins the calling thread if it is pinned.
void faultline_leave_core(void);
/// Unpins the given thread. It may then use all cores that the calling thread could use before it
/// was pinned.
void faultline_free_thread(int thread);

/// The first element of the list of queues that the calling thread holds; see `HeldQueues.swift`.
void *faultline_get_held_queues(void);
void faultline_set_held_queues(void *first);

/// The context whose block runs on the calling thread; see `NSManagedObjectContext+Queue.swift`.
void *faultline_get_context(void);
void faultline_set_context(void *context);

/// The confinement scope of the calling thread; see `ConfinementScope.swift`.
void *faultline_get_scope(void);
void faultline_set_scope(void *scope);

/// Receives a job of Swift concurrency in place of the global pool. `id` is the ID of the job's
/// task, and `frame` the stack frame of the hook function. Returns false if the pool should run the
/// job.
typedef bool (*faultline_job_taker)(void *job, uint64_t id, const void *frame);
/// Passes to `take` the jobs that a thread with a scope enqueues on Swift's global pool. While a
/// schedule has tasks (see `faultline_know_jobs`), the jobs of all threads are passed. Returns
/// false if the runtime has no such hook.
bool faultline_take_jobs(faultline_job_taker take);
/// The ID of the task to which a job belongs; 0 if it is unknown.
uint64_t faultline_job_id(void *job);
/// Adds `change` to the number of tasks whose jobs belong to a schedule.
void faultline_know_jobs(int32_t change);

/// The label of the Dispatch queue whose work runs on the calling thread; NULL without Dispatch.
/// Valid as long as the queue exists.
const char *faultline_queue_label(void);

/// The program or library that contains an address, and its base address. The path is valid while
/// it is loaded.
bool faultline_find_image(const void *address, const char **path, uintptr_t *base);
/// The mangled name of the getter, or of a key path's function for a getter, at an address. Reads
/// the symbol table of the program or library each time. NULL if the table has no such symbol. The
/// caller frees the name.
char *faultline_getter_symbol(const void *address);
/// Whether XCTest called the runtime, in contrast to the program under test. `frame` is the stack
/// frame of the hook function; see `faultline_job_taker`.
bool faultline_is_xctest_call(const void *frame);
/// Collects the active calls of the calling thread, the innermost first, and returns their number.
size_t faultline_call_stack(uintptr_t *places, size_t capacity);
/// Collects the active calls of another thread, which a signal interrupts for this purpose.
size_t faultline_call_stack_of(int thread, uintptr_t *places, size_t capacity);
/// Marks the calling function as waiting in a system library until the matching end. Until then,
/// the thread's call stack is read from this function's frame.
void faultline_begin_wait(void);
void faultline_end_wait(void);
/// Collects the return addresses of a chain of frame records from `frame` on, below the address
/// `end`.
size_t faultline_walk_frames(
    uintptr_t frame, uintptr_t end, uintptr_t *places, size_t capacity);
/// The readable form of a mangled Swift name, which the caller must free; NULL for another name.
char *faultline_demangle(const char *name, size_t length);

/// Mark the end of a context's block and the point where the block's caller resumes; see
/// `AwaitedBlock.c`.
void faultline_end_block(void *context);
void faultline_await_block(void *context);

/// Calls `found` for each class of the program with the given name, including nested classes, with
/// the name of its module and its metadata.
void faultline_classes_named(
    const char *name, void *state,
    void (*found)(void *state, const char *module, const void *metadata));

#endif
