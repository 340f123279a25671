// Informs the thread sanitizer that a context's block runs before the code after the caller's
// `await`. In other builds the two functions are empty.
//
// Swift's runtime is not instrumented. If it resumes a continuation before its task has begun to
// wait, the sanitizer would see no order between the block and the task.

#include "CRuntimeShims.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FAULTLINE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif
#endif

void faultline_end_block(void *context) {
#ifdef FAULTLINE_THREAD_SANITIZER
    __tsan_release(context);
#else
    (void)context;
#endif
}

void faultline_await_block(void *context) {
#ifdef FAULTLINE_THREAD_SANITIZER
    __tsan_acquire(context);
#else
    (void)context;
#endif
}
