#include "CRuntimeShims.h"

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
