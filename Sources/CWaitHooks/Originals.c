#define _GNU_SOURCE
#include "Originals.h"
#include "CRuntimeShims.h"
#include "CWaitHooks.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *faultline_find_original(const char *name) {
    // Without a symbol version, the loader would return the oldest version of these functions,
    // which uses a different layout of condition variables.
    void *found = strncmp(name, "pthread_cond_", 13) == 0
        ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    if (found == NULL) found = dlsym(RTLD_NEXT, name);
    if (found != NULL) return found;
    fprintf(stderr, "the system has no %s\n", name);
    abort();
}

static _Thread_local int taking;

bool faultline_is_watched(void) { return faultline_get_scope() != NULL && taking == 0; }
void faultline_begin_taking(void) { taking++; }
void faultline_end_taking(void) { taking--; }
void faultline_pass_through(bool passes) { passes ? taking++ : taking--; }

void faultline_run_watched(void (*work)(void *), void *context) {
    int outer = taking;
    taking = 0;
    work(context);
    taking = outer;
}
