#include "CRuntimeShims.h"

#include <malloc.h>

intptr_t faultline_heap_bytes(void) {
    struct mallinfo2 heap = mallinfo2();
    return (intptr_t)(heap.uordblks + heap.hblkhd);
}
