#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the functions that read integers exchange the bytes of little-endian machines"
#endif

// Finds a function, and describes the problem if the library does not have it.
static int find(
    void *library, const char *name, void *place, const char *file, char *problem,
    size_t capacity) {
    void *function = dlsym(library, name);
    if (!function) {
        snprintf(problem, capacity, "%s has no function %s", file, name);
        return -1;
    }
    memcpy(place, &function, sizeof function);
    return 0;
}

#define CPOSTGRESQL_FIND(type, name, parameters) \
    if (find(library, #name, &functions->name, file, problem, capacity)) return -1;

int cpostgresql_load(
    const char *file, cpostgresql_functions *functions, char *problem, size_t capacity) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(problem, capacity, "%s", reason ? reason : file);
        return -1;
    }
    CPOSTGRESQL_FUNCTIONS(CPOSTGRESQL_FIND)
    void *chunked = dlsym(library, "PQsetChunkedRowsMode");
    memcpy(&functions->PQsetChunkedRowsMode, &chunked, sizeof chunked);
    return 0;
}

int cpostgresql_wait(int socket, int waker, int wanted, int64_t milliseconds) {
    struct pollfd files[2] = {{.fd = socket}, {.fd = waker, .events = POLLIN}};
    if (wanted & CPOSTGRESQL_READABLE) files[0].events |= POLLIN;
    if (wanted & CPOSTGRESQL_WRITABLE) files[0].events |= POLLOUT;
    uint64_t began = cpostgresql_nanoseconds();
    int64_t left = milliseconds;
    for (;;) {
        int time = left < 0 ? -1 : left > INT_MAX ? INT_MAX : (int)left;
        int count = poll(files, waker < 0 ? 1 : 2, time);
        if (count > 0) break;
        if (count < 0 && errno != EINTR) return -1;
        if (milliseconds < 0) continue;
        left = milliseconds - (int64_t)((cpostgresql_nanoseconds() - began) / 1000000u);
        if (left <= 0) return 0;
    }
    int found = 0;
    if (files[0].revents & ~POLLOUT) found |= CPOSTGRESQL_READABLE;
    if (files[0].revents & POLLOUT) found |= CPOSTGRESQL_WRITABLE;
    if (waker >= 0 && files[1].revents) found |= CPOSTGRESQL_WOKEN;
    return found;
}
