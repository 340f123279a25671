#ifndef CRUNTIMESHIMS_H
#define CRUNTIMESHIMS_H

#include <stdbool.h>

/// Retains a Swift object unless its deinitialisation has begun.
///
/// The identity map holds its objects weakly and may meet one that another thread is just
/// releasing; Swift has no public spelling for "retain if still alive".
bool faultline_try_retain(void *object);

#endif
