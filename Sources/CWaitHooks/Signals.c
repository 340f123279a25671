#define _GNU_SOURCE
#include "CWaitHooks.h"
#include <pthread.h>
#include <signal.h>

// Threads of Dispatch block all signals, and the threads that they start inherit this.
void faultline_allow_stacks(void) {
    sigset_t signals;
    sigemptyset(&signals);
    // The signal of `CallStack.c`.
    sigaddset(&signals, SIGRTMAX - 3);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}
