#ifndef ORIGINALS_H
#define ORIGINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif

/// Whether a sanitizer replaces the functions for threads and locks.
#define FAULTLINE_IS_SANITIZED \
    (__has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || \
     __has_feature(memory_sanitizer))

/// Returns the original of a system function that this module replaces. Ends the process if the
/// system does not have the function.
void *faultline_find_original(const char *name);

/// Declares `original`, a pointer to the system's function with this name.
#define FAULTLINE_ORIGINAL(name) FAULTLINE_ORIGINAL_AS(original, name)
#define FAULTLINE_ORIGINAL_AS(variable, name) \
    static _Atomic(typeof(&name)) found_##variable; \
    if (found_##variable == NULL) { \
        found_##variable = (typeof(&name))faultline_find_original(#name); \
    } \
    typeof(&name) variable = found_##variable

/// Whether operations of the calling thread are passed to the lab's callbacks (the takers).
bool faultline_is_watched(void);
/// Stops passing the calling thread's operations to the lab until the matching end. The lab calls
/// these functions around its own operations.
void faultline_begin_taking(void);
void faultline_end_taking(void);
/// Runs code of the program inside a callback of the lab. The operations of this code are passed to
/// the lab.
void faultline_run_watched(void (*work)(void *), void *context);

/// Whether the call with this stack frame comes from the program's code, directly or through the
/// methods of Foundation's locks, run loops and timers.
bool faultline_is_own_call(const void *frame);

/// Enqueues a function or a block on the main queue of the schedule. Returns false if the calling
/// thread belongs to no schedule.
bool faultline_enqueue_on_main(int64_t delay, void (*work)(void *), void *context);
bool faultline_enqueue_block_on_main(void *block);
bool faultline_is_on_main_queue(void);

/// Whether the call with this stack frame comes from this package's code.
bool faultline_is_lab_call(const void *frame);

#endif
