#include "RecorderStart.h"
#include <stdlib.h>

// Tests are watched from before the first one begins, and no code of theirs says so: what is to be
// recorded is known from the environment alone.
__attribute__((constructor)) static void start(void) {
    const char *folder = getenv("FAULTLINE_RECORD");
    if (folder != NULL && folder[0] != '\0') faultline_recorder_watch_tests();
}
