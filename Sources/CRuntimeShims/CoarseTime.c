#define _GNU_SOURCE
#include "CRuntimeShims.h"

#include <time.h>

double faultline_coarse_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
