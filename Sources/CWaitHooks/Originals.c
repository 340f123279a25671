#define _GNU_SOURCE
#include "Originals.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void *faultline_find_original(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found != NULL) return found;
    fprintf(stderr, "the system has no %s\n", name);
    abort();
}
