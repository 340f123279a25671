#include "RecorderStart.h"
#include <stdlib.h>

// Exported by Swift's runtime. Weak, so that a runtime without it costs the event stream alone.
extern void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count)
    __attribute__((weak));

// Has the process see two arguments more than it was given.
static void add_arguments(char **arguments, int count, char *name, char *value) {
    char **longer = calloc((size_t)count + 3, sizeof(char *));
    if (longer == NULL) return;
    for (int index = 0; index < count; index++) longer[index] = arguments[index];
    longer[count] = name;
    longer[count + 1] = value;
    _swift_stdlib_overrideUnsafeArgvArgc(longer, count + 2);
}

// Tests are watched from before the first one begins, and no code of theirs says so: what is to be
// recorded is known from the environment alone. The C library gives its arguments to constructors.
__attribute__((constructor)) static void start(int count, char **arguments) {
    const char *folder = getenv("FAULTLINE_RECORD");
    if (folder == NULL || folder[0] == '\0') return;
    char *path = faultline_recorder_watch_tests(count, arguments);
    if (path == NULL || _swift_stdlib_overrideUnsafeArgvArgc == NULL) return;
    add_arguments(arguments, count, "--event-stream-output-path", path);
}
