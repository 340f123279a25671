#ifndef CWAITHOOKS_H
#define CWAITHOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Waits instead of a thread that is about to wait for a Dispatch semaphore or group.
///
/// - `try_once`: takes it if this needs no waiting.
/// - `is_late`: whether the time-out has passed.
///
/// Returns 0 if the system must wait, 1 if it was taken, 2 if the time-out passed first.
typedef int (*faultline_waiter)(
    void *state, bool (*try_once)(void *state), bool (*is_late)(void *state));

/// Passes all later waits to a waiter, on the thread that waits.
void faultline_take_waits(faultline_waiter waiter);

/// Whether a thread that is kept on one core (see `Cores.c`) is released before it starts a thread
/// or a process, which would inherit the core, and before it reads its number of cores.
bool faultline_hides_cores(void);

#endif
