#include "CRuntimeShims.h"

extern void *swift_tryRetain(void *object);

extern void *swift_retain_n(void *object, uint32_t count);

void faultline_retain(void *object, uint32_t count) { swift_retain_n(object, count); }

bool faultline_try_retain(void *object) { return swift_tryRetain(object) != 0; }
