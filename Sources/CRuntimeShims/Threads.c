#define _GNU_SOURCE
#include "CRuntimeShims.h"
#include <pthread.h>
#include <unistd.h>

static uintptr_t initial_thread;

static _Thread_local void *faultline_held_queues;
static _Thread_local void *faultline_context;
static _Thread_local void *faultline_scope;

// Runs when the program is loaded, on the process's initial thread.
__attribute__((constructor)) static void remember_initial_thread(void) {
    initial_thread = faultline_thread_id();
}

uintptr_t faultline_initial_thread(void) { return initial_thread; }

void *faultline_get_held_queues(void) { return faultline_held_queues; }

void faultline_set_held_queues(void *first) { faultline_held_queues = first; }

void *faultline_get_context(void) { return faultline_context; }

void faultline_set_context(void *context) { faultline_context = context; }

void *faultline_get_scope(void) { return faultline_scope; }

void faultline_set_scope(void *scope) { faultline_scope = scope; }
