#define _GNU_SOURCE
#include "CWaitHooks.h"
#include <pthread.h>
#include <signal.h>

// Threads of Dispatch block all signals, and the threads that they start inherit this signal mask.
void faultline_allow_stacks(void) {
    sigset_t signals;
    sigemptyset(&signals);
    // `CallStack.c` sends this signal to a thread to read its stack.
    sigaddset(&signals, SIGRTMAX - 3);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}
