#include "CRuntimeShims.h"

#include <malloc.h>
#include <stdlib.h>

intptr_t faultline_heap_bytes(void) {
    struct mallinfo2 heap = mallinfo2();
    return (intptr_t)(heap.uordblks + heap.hblkhd);
}

void faultline_grow_heap(size_t bytes) {
    // Given back at once, the memory is the unused end of the heap. Volatile, because a compiler
    // may leave out a pair that does nothing.
    void *volatile memory = malloc(bytes);
    free(memory);
}
