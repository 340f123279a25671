// The active calls of a thread, read from its chain of frame records.
//
// In code without frame pointers, the address of the next record may be any number. So a record is
// read only if it is on the thread's stack, at a higher address than the previous one. The context
// of an asynchronous function is on the heap. It is read through a system call, which fails for an
// invalid address.

#define _GNU_SOURCE
#include "CRuntimeShims.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

// A function's frame record: the caller's record and the return address.
typedef struct {
    uintptr_t caller;
    uintptr_t resume;
} frame_record;

// Swift marks the record of an asynchronous function with this bit. The word below it contains the
// function's context.
#define ASYNCHRONOUS ((uintptr_t)1 << 60)

// An asynchronous function resumes at the address in its context, in contrast to the return address
// of its frame.
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
        // The call instruction precedes the return address.
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

// MARK: XCTest

bool faultline_is_xctest_call(const void *frame) {
    uintptr_t places[12];
    size_t count = faultline_walk_frames((uintptr_t)frame, stack_end(), places, 12);
    for (size_t index = 0; index < count; index++) {
        const char *path;
        uintptr_t base;
        if (!faultline_find_image((const void *)places[index], &path, &base)) return false;
        if (strstr(path, "libXCTest") != NULL) return true;
        if (strstr(path, "libswift_Concurrency") == NULL) return false;
    }
    return false;
}

// MARK: Other threads

static uintptr_t *other_places;
static size_t other_capacity, other_count;
static _Atomic int other_state;

enum { IDLE, ASKED, TAKING, TAKEN };

static void walk_interrupted(uintptr_t instruction, uintptr_t frame) {
    size_t count = 0;
    if (other_capacity > 0) other_places[count++] = instruction;
    uintptr_t caller, resume, context;
    while (count < other_capacity && frame % sizeof frame == 0 &&
           faultline_peek((void *)frame, &caller) &&
           faultline_peek((void *)(frame + sizeof frame), &resume) && resume != 0) {
        if (caller & ASYNCHRONOUS) {
            if (faultline_peek((void *)(frame - sizeof frame), &context)) {
                count = walk_contexts(context, other_places, count, other_capacity);
            }
            break;
        }
        other_places[count++] = resume - 1;
        if (caller <= frame) break;
        frame = caller;
    }
    other_count = count;
}

// The frame of a function that waits in a system library. The library has no frame pointers, so the
// thread's call stack is read from this frame.
static _Thread_local uintptr_t waiting_frame;

__attribute__((noinline)) void faultline_begin_wait(void) {
    waiting_frame = ((const frame_record *)__builtin_frame_address(0))->caller;
}

void faultline_end_wait(void) { waiting_frame = 0; }

static void take_stack(int signal, siginfo_t *information, void *state) {
    (void)signal;
    (void)information;
    int error = errno;
    int asked = ASKED;
    if (atomic_compare_exchange_strong(&other_state, &asked, TAKING)) {
        const mcontext_t *machine = &((ucontext_t *)state)->uc_mcontext;
#if defined(__x86_64__)
        uintptr_t frame = (uintptr_t)machine->gregs[REG_RBP];
        walk_interrupted(
            (uintptr_t)machine->gregs[REG_RIP], waiting_frame == 0 ? frame : waiting_frame);
#elif defined(__aarch64__)
        uintptr_t frame = (uintptr_t)machine->regs[29];
        walk_interrupted((uintptr_t)machine->pc, waiting_frame == 0 ? frame : waiting_frame);
#endif
        atomic_store(&other_state, TAKEN);
    }
    errno = error;
}

size_t faultline_call_stack_of(int thread, uintptr_t *places, size_t capacity) {
    static atomic_flag is_used = ATOMIC_FLAG_INIT;
    // The signal that requests the call stack of a thread, which programs do not use.
    int number = SIGRTMAX - 3;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART}, former;
    action.sa_sigaction = take_stack;
    if (thread == 0) return 0;
    while (atomic_flag_test_and_set(&is_used)) usleep(1000);
    other_places = places;
    other_capacity = capacity;
    other_count = 0;
    atomic_store(&other_state, ASKED);
    if (sigaction(number, &action, &former) == 0) {
        if (tgkill(getpid(), thread, number) == 0) {
            // On a busy machine, the thread may handle the signal late. After five seconds, its
            // call stack counts as unknown.
            for (int look = 0; look < 5000 && atomic_load(&other_state) != TAKEN; look++) {
                usleep(1000);
            }
        }
        int asked = ASKED;
        atomic_compare_exchange_strong(&other_state, &asked, IDLE);
        while (atomic_load(&other_state) == TAKING) usleep(1000);
    }
    size_t count = atomic_load(&other_state) == TAKEN ? other_count : 0;
    atomic_flag_clear(&is_used);
    return count;
}
