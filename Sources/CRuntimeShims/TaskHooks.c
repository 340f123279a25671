#define _GNU_SOURCE
#include "CRuntimeShims.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

// If a hook is set, Swift's runtime passes it each job for the global pool, and the function that
// it would otherwise call. Both have Swift's calling convention.
#define FAULTLINE_SWIFT __attribute__((swiftcall))
typedef FAULTLINE_SWIFT void (*enqueue_function)(void *job);
typedef FAULTLINE_SWIFT void (*enqueue_hook)(void *job, enqueue_function original);
typedef FAULTLINE_SWIFT uint64_t (*job_id_function)(void *job);

static faultline_job_taker taker;
static job_id_function job_id;
static _Atomic uint32_t known_jobs;

static FAULTLINE_SWIFT void take_global_job(void *job, enqueue_function original) {
    // Without a running schedule, this check only loads two values.
    bool may_be_ours = faultline_get_scope() != NULL
        || atomic_load_explicit(&known_jobs, memory_order_relaxed) > 0;
    if (!may_be_ours || !taker(job, job_id(job), __builtin_frame_address(0))) original(job);
}

static void install(void) {
    void *hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    job_id = (job_id_function)dlsym(RTLD_DEFAULT, "swift_task_getJobTaskId");
    if (hook != NULL && job_id != NULL) {
        __atomic_store_n((enqueue_hook *)hook, take_global_job, __ATOMIC_RELEASE);
    } else {
        job_id = NULL;
    }
}

bool faultline_take_jobs(faultline_job_taker take) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    taker = take;
    pthread_once(&once, install);
    return job_id != NULL;
}

const char *faultline_queue_label(void) {
    const char *(*label)(void *) = dlsym(RTLD_DEFAULT, "dispatch_queue_get_label");
    return label == NULL ? NULL : label(NULL);
}

uint64_t faultline_job_id(void *job) { return job_id == NULL ? 0 : job_id(job); }

void faultline_know_jobs(int32_t change) {
    atomic_fetch_add_explicit(&known_jobs, (uint32_t)change, memory_order_relaxed);
}
