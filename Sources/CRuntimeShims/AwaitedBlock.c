// Tells the thread sanitizer that a context's block happens before the code of its caller that
// follows the await; in other builds both functions are empty.
//
// A continuation that is resumed before its task has begun to wait passes the result in Swift's
// runtime, which is not instrumented, so the sanitizer would see no order between the two.

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
