// Looks up the functions at addresses, and demangles Swift names.

#define _GNU_SOURCE
#include "CRuntimeShims.h"

#include <dlfcn.h>
#include <stddef.h>

// From Swift's runtime, which has no header for it.
extern char *swift_demangle(
    const char *name, size_t length, char *output, size_t *output_size, uint32_t flags);

bool faultline_find_image(const void *address, const char **path, uintptr_t *base) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || !info.dli_fname || !info.dli_fbase) return false;
    *path = info.dli_fname;
    *base = (uintptr_t)info.dli_fbase;
    return true;
}

char *faultline_demangle(const char *name, size_t length) {
    return swift_demangle(name, length, NULL, NULL, 0);
}
