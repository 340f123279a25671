#define _GNU_SOURCE
#include "CRuntimeShims.h"
#include <fcntl.h>
#include <unistd.h>

void faultline_read_arguments(va_list list, const char *kinds, faultline_argument *found) {
    va_list rest;
    va_copy(rest, list);
    for (; *kinds; kinds++, found++) {
        switch (*kinds) {
        case 'i': found->integer = va_arg(rest, int); break;
        case 'u': found->integer = va_arg(rest, unsigned); break;
        case 'l': found->integer = va_arg(rest, int64_t); break;
        case 'd': found->number = va_arg(rest, double); break;
        case 'L': found->number = (double)va_arg(rest, long double); break;
        default: found->address = va_arg(rest, const void *); break;
        }
    }
    va_end(rest);
}

int faultline_peek(const void *address, uintptr_t *word) {
    int ends[2];
    if ((uintptr_t)address % sizeof *word || pipe2(ends, O_CLOEXEC)) return 0;
    // For an unmapped address the system call returns an error, but reading it directly would end
    // the process.
    int found = write(ends[1], address, sizeof *word) == sizeof *word &&
                read(ends[0], word, sizeof *word) == sizeof *word;
    close(ends[0]);
    close(ends[1]);
    return found;
}
