// The calls that a thread is inside of, by its chain of frame records.
//
// In a library built without frame pointers, the address of the next record can be any number. So a
// record is read only if it is further out on the thread's own stack. The context of an
// asynchronous function is on the heap, and is read through the kernel, which checks the address.

#define _GNU_SOURCE
#include "CRuntimeShims.h"

#include <pthread.h>

// The words that a function has pushed: the address of the caller's record, and the return address.
typedef struct {
    uintptr_t caller;
    uintptr_t resume;
} frame_record;

// Swift marks the record of an asynchronous function with this bit; the word below has its context.
#define ASYNCHRONOUS ((uintptr_t)1 << 60)

// An asynchronous function resumes at the address in its context, not at its frame's return
// address.
static size_t walk_contexts(uintptr_t context, uintptr_t *places, size_t count, size_t capacity) {
    uintptr_t parent, resume;
    // A context begins with the caller's context and the address where the caller resumes.
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
        // The call itself is before the return address.
        places[count++] = record->resume - 1;
        begin = frame + sizeof(frame_record);
        frame = record->caller;
    }
    return count;
}

// The address after the calling thread's stack; 0 if the system does not report it.
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
