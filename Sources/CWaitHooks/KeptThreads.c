// A thread of a schedule is pinned to one core. Threads that it starts must not inherit the
// pinning, and the thread must read the real number of cores. The functions of this file therefore
// replace the system's functions. Each replacement calls the original.

#define _GNU_SOURCE
#include "CRuntimeShims.h"
#include "CWaitHooks.h"
#include "Originals.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <unistd.h>

#if FAULTLINE_IS_SANITIZED

bool faultline_hides_cores(void) { return false; }

#else

#define ORIGINAL(name) \
    faultline_leave_core(); \
    FAULTLINE_ORIGINAL(name)

static int create_thread(
    pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
    void *(*start)(void *), void *restrict argument) {
    ORIGINAL(pthread_create);
    return original(thread, attributes, start, argument);
}

int pthread_create(
    pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
    void *(*start)(void *), void *restrict argument)
    __attribute__((alias("create_thread")));

pid_t fork(void) {
    ORIGINAL(fork);
    return original();
}

#define SPAWN(name) \
    int name( \
        pid_t *restrict process, const char *restrict program, \
        const posix_spawn_file_actions_t *restrict actions, \
        const posix_spawnattr_t *restrict attributes, char *const arguments[restrict], \
        char *const environment[restrict]) { \
        ORIGINAL(name); \
        return original(process, program, actions, attributes, arguments, environment); \
    }

SPAWN(posix_spawn)
SPAWN(posix_spawnp)

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *cores) {
    ORIGINAL(sched_getaffinity);
    return original(thread, size, cores);
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *cores) {
    ORIGINAL(pthread_getaffinity_np);
    return original(thread, size, cores);
}

// Returns false if this file is in a library that was loaded after the start of the program. The
// dynamic linker has then already bound other modules to the system's functions.
bool faultline_hides_cores(void) {
    return dlsym(RTLD_DEFAULT, "pthread_create") == (void *)create_thread;
}

#endif
