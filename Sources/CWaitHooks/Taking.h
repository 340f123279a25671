#ifndef TAKING_H
#define TAKING_H

#include "CWaitHooks.h"

/// Offers a wait to the taker; 0 where there is none, or it leaves it to the system.
int faultline_wait_for(const faultline_wait *wait);
/// Tells the taker, where the calling thread is one of a schedule.
void faultline_note_made(faultline_wait_kind kind, void *object);
void faultline_note_signal(faultline_wait_kind kind, void *object);
void faultline_note_gone(void *object);
/// A lock is given back; returns whether the thread never had it.
bool faultline_give_back(void *object);
/// Something has left a group.
void faultline_note_leave(void *group);

#endif
