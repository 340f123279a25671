// The calls that a thread is inside of, by its chain of frame records.
//
// A library built without frame pointers may leave any number where the address of the next record
// belongs. So a record is read only where it lies further out on the thread's own stack, and a
// context of an asynchronous function, which lies on the heap, only as the kernel allows it.

#define _GNU_SOURCE
#include "CRuntimeShims.h"

#include <pthread.h>

// What a function has pushed: where the caller's record is, and where the caller goes on.
typedef struct {
    uintptr_t caller;
    uintptr_t resume;
} frame_record;

// Swift marks the record of an asynchronous function by this bit; the word below holds its context.
#define ASYNCHRONOUS ((uintptr_t)1 << 60)

// An asynchronous function goes on where its context says, and not where its frame returns to.
static size_t walk_contexts(uintptr_t context, uintptr_t *places, size_t count, size_t capacity) {
    uintptr_t parent, resume;
    // A context begins with that of the caller and with where that one goes on.
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
        // The call itself is before the place that it returns to.
        places[count++] = record->resume - 1;
        begin = frame + sizeof(frame_record);
        frame = record->caller;
    }
    return count;
}

// The address behind the calling thread's stack; 0 where the system does not tell it.
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
