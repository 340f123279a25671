#include "CRuntimeShims.h"

extern void *swift_tryRetain(void *object);

bool faultline_try_retain(void *object) { return swift_tryRetain(object) != 0; }
