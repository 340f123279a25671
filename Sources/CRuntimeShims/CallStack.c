// The active calls of a thread, read from its chain of frame records.
//
// A library built without frame pointers may leave any number in the position of the next record's
// address. A record is therefore read only if it is further out on the thread's own stack, and a
// context of an asynchronous function, which is on the heap, only if the kernel allows it.

#define _GNU_SOURCE
#include "CRuntimeShims.h"

#include <pthread.h>

// A function's frame record: the caller's record and the return address.
typedef struct {
    uintptr_t caller;
    uintptr_t resume;
} frame_record;

// Swift marks the record of an asynchronous function with this bit; the word below holds its
// context.
#define ASYNCHRONOUS ((uintptr_t)1 << 60)

// An asynchronous function resumes at the address in its context, not at its frame's return
// address.
static size_t walk_contexts(uintptr_t context, uintptr_t *places, size_t count, size_t capacity) {
    uintptr_t parent, resume;
    // A context begins with the caller's context and the caller's resume address.
    while (count < capacity && context != 0 && faultline_peek((void *)context, &parent) &&
           faultline_peek((void *)(context + sizeof parent), &resume) && resume != 0) {
        places[count++] = resume;
        context = parent;
    }
    return count;
}

size_t faultline_walk_frames(
    uintptr_t frame, uintptr_t end, uintptr_t *places, size_t capacity) {
    size_t count = 0;
    uintptr_t begin = frame;
    while (count < capacity && frame % sizeof(uintptr_t) == 0 && frame >= begin && frame < end &&
           end - frame >= sizeof(frame_record)) {
        const frame_record *record = (const frame_record *)frame;
        if (record->caller & ASYNCHRONOUS) {
            uintptr_t context = ((const uintptr_t *)frame)[-1];
            return walk_contexts(context, places, count, capacity);
        }
        if (record->resume == 0) break;
        // The call itself precedes the return address.
        places[count++] = record->resume - 1;
        begin = frame + sizeof(frame_record);
        frame = record->caller;
    }
    return count;
}

// The end address of the calling thread's stack; 0 if the system does not report it.
static uintptr_t stack_end(void) {
    static _Thread_local uintptr_t end;
    pthread_attr_t attributes;
    if (end != 0 || pthread_getattr_np(pthread_self(), &attributes)) return end;
    void *start;
    size_t size;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) end = (uintptr_t)start + size;
    pthread_attr_destroy(&attributes);
    return end;
}

__attribute__((noinline)) size_t faultline_call_stack(uintptr_t *places, size_t capacity) {
    return faultline_walk_frames(
        (uintptr_t)__builtin_frame_address(0), stack_end(), places, capacity);
}
