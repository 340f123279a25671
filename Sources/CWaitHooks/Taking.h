#ifndef TAKING_H
#define TAKING_H

#include "CWaitHooks.h"

/// Passes a wait to the lab. Returns 0 if no callbacks are installed, or if the system must wait.
int faultline_wait_for(const faultline_wait *wait);
/// Reports an event to the lab if the calling thread belongs to a schedule.
void faultline_note_made(faultline_wait_kind kind, void *object);
void faultline_note_signal(faultline_wait_kind kind, void *object);
void faultline_note_gone(void *object);
/// Releases a lock. Returns true if the thread never held the lock.
bool faultline_give_back(void *object);
/// Called when a block or a caller has left a Dispatch group.
void faultline_note_leave(void *group);

#endif
