// Replaces the system's functions for locks and condition variables. If a thread of a schedule
// waits for one of these, it usually waits for another thread of the schedule, which the schedule
// must run.

#define _GNU_SOURCE
#include "CRuntimeShims.h"
#include "CWaitHooks.h"
#include "Originals.h"
#include "Taking.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#if FAULTLINE_IS_SANITIZED

bool faultline_watches_locks(void) { return false; }

#else

#define FRAME __builtin_frame_address(0)

// Defines the functions that create and destroy an object of a type. If `is_noted` is true, the lab
// is notified of new objects.
#define LIFE(type, kind, is_noted) \
    int type##_init(type##_t *object, const type##attr_t *attributes) { \
        FAULTLINE_ORIGINAL(type##_init); \
        if (faultline_is_watched() && is_noted) faultline_note_made(kind, object); \
        return original(object, attributes); \
    } \
    int type##_destroy(type##_t *object) { \
        FAULTLINE_ORIGINAL(type##_destroy); \
        if (faultline_is_watched()) faultline_note_gone(object); \
        return original(object); \
    }

// MARK: Locks of one thread

static int try_mutex(pthread_mutex_t *mutex) {
    FAULTLINE_ORIGINAL(pthread_mutex_trylock);
    return original(mutex);
}

static bool take_mutex(const faultline_wait *wait) { return try_mutex(wait->object) == 0; }

static bool is_mutex_free(const faultline_wait *wait) {
    const pthread_mutex_t *mutex = wait->object;
    return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_ACQUIRE) == 0;
}

static int holder_of_mutex(const faultline_wait *wait) {
    const pthread_mutex_t *mutex = wait->object;
    return __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
}

static int wait_for_mutex(pthread_mutex_t *mutex, bool is_own) {
    faultline_wait wait = {
        .kind = FAULTLINE_LOCK, .object = mutex, .is_own = is_own, .take = take_mutex,
        .is_free = is_mutex_free, .holder = holder_of_mutex};
    return faultline_wait_for(&wait);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    FAULTLINE_ORIGINAL(pthread_mutex_lock);
    if (!faultline_is_watched()) return original(mutex);
    bool is_own = faultline_is_own_call(FRAME);
    // A schedule switches threads at a library's lock only if another thread holds the lock.
    if (!is_own) {
        int ending = try_mutex(mutex);
        if (ending != EBUSY) return ending;
    }
    return wait_for_mutex(mutex, is_own) == 0 ? original(mutex) : 0;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    if (!faultline_is_watched() || !faultline_is_own_call(FRAME)) return try_mutex(mutex);
    faultline_wait wait = {
        .kind = FAULTLINE_LOCK, .object = mutex, .is_own = true, .is_try = true,
        .take = take_mutex, .is_free = is_mutex_free, .holder = holder_of_mutex};
    switch (faultline_wait_for(&wait)) {
    case 1: return 0;
    case 2: return EBUSY;
    default: return try_mutex(mutex);
    }
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
    FAULTLINE_ORIGINAL(pthread_mutex_timedlock);
    if (!faultline_is_watched() || !faultline_is_own_call(FRAME)) return original(mutex, time);
    faultline_wait wait = {
        .kind = FAULTLINE_LOCK, .object = mutex, .is_own = true, .has_time_out = true,
        .take = take_mutex, .is_free = is_mutex_free, .holder = holder_of_mutex,
        .time = *time, .clock = CLOCK_REALTIME};
    switch (faultline_wait_for(&wait)) {
    case 1: return 0;
    case 2: return ETIMEDOUT;
    default: return original(mutex, time);
    }
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    FAULTLINE_ORIGINAL(pthread_mutex_unlock);
    return faultline_is_watched() && faultline_give_back(mutex) ? 0 : original(mutex);
}

LIFE(pthread_mutex, FAULTLINE_LOCK, faultline_is_own_call(FRAME))

// MARK: Locks of one writer or several readers

static int try_reading(pthread_rwlock_t *lock) {
    FAULTLINE_ORIGINAL(pthread_rwlock_tryrdlock);
    return original(lock);
}

static int try_writing(pthread_rwlock_t *lock) {
    FAULTLINE_ORIGINAL(pthread_rwlock_trywrlock);
    return original(lock);
}

static int end_using(pthread_rwlock_t *lock) {
    FAULTLINE_ORIGINAL(pthread_rwlock_unlock);
    return original(lock);
}

static bool take_for_reading(const faultline_wait *wait) { return try_reading(wait->object) == 0; }
static bool take_for_writing(const faultline_wait *wait) { return try_writing(wait->object) == 0; }

static bool is_readable(const faultline_wait *wait) {
    return take_for_reading(wait) && end_using(wait->object) == 0;
}

static bool is_writable(const faultline_wait *wait) {
    return take_for_writing(wait) && end_using(wait->object) == 0;
}

static int writer(const faultline_wait *wait) {
    const pthread_rwlock_t *lock = wait->object;
    return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
}

static faultline_wait waiting_for(pthread_rwlock_t *lock, bool writes) {
    return (faultline_wait){
        .kind = writes ? FAULTLINE_WRITE_LOCK : FAULTLINE_READ_LOCK, .object = lock,
        .is_own = true, .take = writes ? take_for_writing : take_for_reading,
        .is_free = writes ? is_writable : is_readable, .holder = writer};
}

LIFE(pthread_rwlock, FAULTLINE_LOCK, faultline_is_own_call(FRAME))

#define READER_WRITER_LOCK(name, writes) \
    int name(pthread_rwlock_t *lock) { \
        FAULTLINE_ORIGINAL(name); \
        if (!faultline_is_watched() || !faultline_is_own_call(FRAME)) return original(lock); \
        faultline_wait wait = waiting_for(lock, writes); \
        return faultline_wait_for(&wait) == 0 ? original(lock) : 0; \
    }

READER_WRITER_LOCK(pthread_rwlock_rdlock, false)
READER_WRITER_LOCK(pthread_rwlock_wrlock, true)

#define TRIED_LOCK(name, writes) \
    int name(pthread_rwlock_t *lock) { \
        FAULTLINE_ORIGINAL(name); \
        if (!faultline_is_watched() || !faultline_is_own_call(FRAME)) return original(lock); \
        faultline_wait wait = waiting_for(lock, writes); \
        wait.is_try = true; \
        switch (faultline_wait_for(&wait)) { \
        case 1: return 0; \
        case 2: return EBUSY; \
        default: return original(lock); \
        } \
    }

TRIED_LOCK(pthread_rwlock_tryrdlock, false)
TRIED_LOCK(pthread_rwlock_trywrlock, true)

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    return faultline_is_watched() && faultline_give_back(lock) ? 0 : end_using(lock);
}

// MARK: Conditions

// A thread of a schedule that waits for a condition variable. Threads outside the schedule may also
// signal the condition variable.
typedef struct waiter {
    pthread_cond_t *condition;
    _Atomic bool is_signalled;
    struct waiter *next;
} waiter;

static waiter *waiters;
static _Atomic int waiter_count;
static atomic_flag waiters_are_used = ATOMIC_FLAG_INIT;

static void use_waiters(void) { while (atomic_flag_test_and_set(&waiters_are_used)) {} }
static void end_using_waiters(void) { atomic_flag_clear(&waiters_are_used); }

static void add_waiter(waiter *added) {
    use_waiters();
    waiter **place = &waiters;
    while (*place != NULL) place = &(*place)->next;
    *place = added;
    waiter_count++;
    end_using_waiters();
}

static void remove_waiter(waiter *removed) {
    use_waiters();
    waiter **place = &waiters;
    while (*place != removed) place = &(*place)->next;
    *place = removed->next;
    waiter_count--;
    end_using_waiters();
}

// Returns whether a thread was waiting.
static bool wake_waiters(pthread_cond_t *condition, bool wakes_all) {
    if (waiter_count == 0) return false;
    bool has_woken = false;
    use_waiters();
    for (waiter *each = waiters; each != NULL && (wakes_all || !has_woken); each = each->next) {
        if (each->condition != condition || each->is_signalled) continue;
        each->is_signalled = has_woken = true;
    }
    end_using_waiters();
    return has_woken;
}

static bool is_signalled(const faultline_wait *wait) {
    return ((const waiter *)wait->state)->is_signalled;
}

// Returns 0 or ETIMEDOUT. If the lab does not handle the wait, the function polls for a signal.
static int wait_for_condition(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time,
    clockid_t clock, bool is_own) {
    waiter own = {.condition = condition};
    add_waiter(&own);
    pthread_mutex_unlock(mutex);
    faultline_wait wait = {
        .kind = FAULTLINE_CONDITION, .object = condition, .is_own = is_own, .take = is_signalled,
        .is_free = is_signalled, .has_time_out = time != NULL, .clock = clock, .state = &own};
    if (time != NULL) wait.time = *time;
    int ending = faultline_wait_for(&wait);
    while (ending == 0) {
        if (own.is_signalled) ending = 1;
        else if (faultline_is_late(&wait)) ending = 2;
        else usleep(200);
    }
    remove_waiter(&own);
    FAULTLINE_ORIGINAL(pthread_mutex_lock);
    if (wait_for_mutex(mutex, is_own) == 0) original(mutex);
    return ending == 2 && !own.is_signalled ? ETIMEDOUT : 0;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    FAULTLINE_ORIGINAL(pthread_cond_wait);
    if (!faultline_is_watched() || faultline_is_lab_call(FRAME)) {
        return original(condition, mutex);
    }
    return wait_for_condition(
        condition, mutex, NULL, CLOCK_REALTIME, faultline_is_own_call(FRAME));
}

int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
    FAULTLINE_ORIGINAL(pthread_cond_timedwait);
    if (!faultline_is_watched() || faultline_is_lab_call(FRAME)) {
        return original(condition, mutex, time);
    }
    return wait_for_condition(
        condition, mutex, time, CLOCK_REALTIME, faultline_is_own_call(FRAME));
}

LIFE(pthread_cond, FAULTLINE_CONDITION, !faultline_is_lab_call(FRAME))

int pthread_cond_signal(pthread_cond_t *condition) {
    FAULTLINE_ORIGINAL(pthread_cond_signal);
    faultline_note_signal(FAULTLINE_CONDITION, condition);
    return wake_waiters(condition, false) ? 0 : original(condition);
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    FAULTLINE_ORIGINAL(pthread_cond_broadcast);
    faultline_note_signal(FAULTLINE_CONDITION, condition);
    wake_waiters(condition, true);
    return original(condition);
}

// MARK: Code that the compiler puts into the program

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// The word of a `Mutex` contains the thread ID of the thread that holds the lock, and a bit that is
// set while threads wait.
#define HOLDER_BITS 0x3fffffff
#define IS_AWAITED 0x80000000

// Returns whether the lock is free. If it is not, sets the bit for waiting threads. The thread that
// holds the lock then calls the system to release it, and this file replaces that system function.
// The kernel accepts a set bit even if no thread waits.
static bool is_word_free(const faultline_wait *wait) {
    uint32_t *word = wait->object;
    uint32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    while (seen != 0 && (seen & IS_AWAITED) == 0) {
        if (__atomic_compare_exchange_n(
                word, &seen, seen | IS_AWAITED, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
            return false;
        }
    }
    return seen == 0;
}

static bool take_word(const faultline_wait *wait) {
    uint32_t *word = wait->object, free = 0;
    while (!__atomic_compare_exchange_n(
        word, &free, (uint32_t)faultline_thread_number(), false, __ATOMIC_ACQUIRE,
        __ATOMIC_RELAXED)) {
        if (!is_word_free(wait)) return false;
        free = 0;
    }
    return true;
}

static int holder_of_word(const faultline_wait *wait) {
    return __atomic_load_n((uint32_t *)wait->object, __ATOMIC_RELAXED) & HOLDER_BITS;
}

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
SWIFT void faultline_lock_slow(uint32_t thread, SELF handle) __asm__(LOCK_SLOW);

SWIFT void faultline_lock_slow(uint32_t thread, SELF handle) {
    typedef SWIFT void (*lock_slow)(uint32_t thread, SELF handle);
    static _Atomic(lock_slow) original;
    if (original == NULL) original = (lock_slow)faultline_find_original(LOCK_SLOW);
    faultline_wait wait = {
        .kind = FAULTLINE_INLINED_LOCK, .object = handle, .take = take_word,
        .is_free = is_word_free, .holder = holder_of_word};
    if (!faultline_is_watched() || faultline_wait_for(&wait) == 0) original(thread, handle);
}

#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
SWIFT void faultline_unlock_slow(SELF handle) __asm__(UNLOCK_SLOW);

SWIFT void faultline_unlock_slow(SELF handle) {
    typedef SWIFT void (*unlock_slow)(SELF handle);
    static _Atomic(unlock_slow) original;
    if (original == NULL) original = (unlock_slow)faultline_find_original(UNLOCK_SLOW);
    original(handle);
    if (faultline_is_watched()) faultline_note_signal(FAULTLINE_INLINED_LOCK, handle);
}

// The first use of a global or a static property creates its value. Other threads wait until the
// value exists.
static bool is_made(const faultline_wait *wait) {
    return __atomic_load_n((int32_t *)wait->object, __ATOMIC_ACQUIRE) <= 0;
}

// The lazily initialised values that threads of schedules are creating.
typedef struct making {
    int32_t *predicate;
    int thread;
    struct making *next;
} making;

static making *makings;
static atomic_flag makings_are_used = ATOMIC_FLAG_INIT;

static void use_makings(void) { while (atomic_flag_test_and_set(&makings_are_used)) {} }

static int maker(const faultline_wait *wait) {
    // -1 means that no thread of a schedule creates the value.
    int thread = -1;
    use_makings();
    for (making *each = makings; each != NULL; each = each->next) {
        if (each->predicate == wait->object) thread = each->thread;
    }
    atomic_flag_clear(&makings_are_used);
    return thread;
}

void swift_once(int32_t *predicate, void (*make)(void *), void *context) {
    int32_t state = __atomic_load_n(predicate, __ATOMIC_ACQUIRE);
    if (state < 0) return;
    FAULTLINE_ORIGINAL(swift_once);
    if (!faultline_is_watched()) return original(predicate, make, context);
    if (state > 0) {
        faultline_wait wait = {
            .kind = FAULTLINE_ONCE, .object = predicate, .take = is_made, .is_free = is_made,
            .holder = maker};
        faultline_wait_for(&wait);
        return original(predicate, make, context);
    }
    making own = {.predicate = predicate, .thread = faultline_thread_number()};
    use_makings();
    own.next = makings;
    makings = &own;
    atomic_flag_clear(&makings_are_used);
    original(predicate, make, context);
    use_makings();
    making **place = &makings;
    while (*place != &own) place = &(*place)->next;
    *place = own.next;
    atomic_flag_clear(&makings_are_used);
}

// Returns false if this file is in a library that was loaded later. The dynamic linker has then
// already bound other modules to the system's functions.
bool faultline_watches_locks(void) {
    return dlsym(RTLD_DEFAULT, "pthread_mutex_lock") == (void *)pthread_mutex_lock;
}

#endif
