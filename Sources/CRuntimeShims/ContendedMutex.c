// Reports to the thread sanitizer the order that a contended `Synchronization.Mutex` establishes.
// Only builds with the sanitizer contain this file.
//
// Locking and unlocking a free Mutex is inlined, so the sanitizer sees it. Waiting for a lock and
// waking a waiter happen in a library that is not instrumented, and in a system call. So the
// sanitizer would see no order between two threads that contend for a lock. The functions here
// replace the library's: each calls the original and reports the order at the lock's address.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The mangled names of methods of `_MutexHandle`; Swift passes the address of the handle as `self`.
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

typedef SWIFT void (*lock_slow_function)(uint32_t thread, SELF handle);
typedef SWIFT bool (*try_lock_slow_function)(SELF handle);
typedef SWIFT void (*unlock_slow_function)(SELF handle);

static lock_slow_function library_lock_slow;
static try_lock_slow_function library_try_lock_slow;
static unlock_slow_function library_unlock_slow;

static void *library_function(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found) return found;
    fprintf(stderr, "ContendedMutex.c: this toolchain's Mutex has no %s; update the name\n", name);
    abort();
}

// Runs when the program is loaded, before another thread exists.
__attribute__((constructor)) static void find_library_functions(void) {
    library_lock_slow = (lock_slow_function)library_function(LOCK_SLOW);
    library_try_lock_slow = (try_lock_slow_function)library_function(TRY_LOCK_SLOW);
    library_unlock_slow = (unlock_slow_function)library_function(UNLOCK_SLOW);
}

SWIFT void faultline_lock_slow(uint32_t thread, SELF handle) __asm__(LOCK_SLOW);
SWIFT bool faultline_try_lock_slow(SELF handle) __asm__(TRY_LOCK_SLOW);
SWIFT void faultline_unlock_slow(SELF handle) __asm__(UNLOCK_SLOW);

SWIFT void faultline_lock_slow(uint32_t thread, SELF handle) {
    library_lock_slow(thread, handle);
    __tsan_acquire(handle);
}

SWIFT bool faultline_try_lock_slow(SELF handle) {
    bool locked = library_try_lock_slow(handle);
    if (locked) __tsan_acquire(handle);
    return locked;
}

SWIFT void faultline_unlock_slow(SELF handle) {
    __tsan_release(handle);
    library_unlock_slow(handle);
}

#endif
#endif
