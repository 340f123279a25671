#include "CWaitHooks.h"
#include <pthread.h>

static pthread_mutex_t planted = PTHREAD_MUTEX_INITIALIZER;

// `Callers.c` treats this function as a function of the program.
__attribute__((noinline)) int program_takes_planted_lock(pthread_mutex_t *lock) {
    int ending = pthread_mutex_lock(lock);
    return ending == 0 ? pthread_mutex_unlock(lock) : ending;
}

void faultline_take_planted_lock(void) { program_takes_planted_lock(&planted); }
