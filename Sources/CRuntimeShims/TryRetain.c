#include "CRuntimeShims.h"

#include <malloc.h>

extern void *swift_tryRetain(void *object);

extern void *swift_retain_n(void *object, uint32_t count);

void faultline_retain(void *object, uint32_t count) { swift_retain_n(object, count); }

intptr_t faultline_heap_bytes(void) {
    struct mallinfo2 heap = mallinfo2();
    return (intptr_t)(heap.uordblks + heap.hblkhd);
}

bool faultline_try_retain(void *object) { return swift_tryRetain(object) != 0; }
