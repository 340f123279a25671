#include "RecorderStart.h"
#include <stdlib.h>

// Exported by Swift's runtime. The reference is weak, so that the program also runs with a runtime
// that lacks the function, although without the event stream.
extern void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count)
    __attribute__((weak));

// Appends two arguments to the command line that the process reads.
static void add_arguments(char **arguments, int count, char *name, char *value) {
    char **longer = calloc((size_t)count + 3, sizeof(char *));
    if (longer == NULL) return;
    for (int index = 0; index < count; index++) longer[index] = arguments[index];
    longer[count] = name;
    longer[count + 1] = value;
    _swift_stdlib_overrideUnsafeArgvArgc(longer, count + 2);
}

// This constructor runs before the first test begins. If the environment requests a recording,
// tests are therefore recorded without any code of their own. The C library passes the program's
// arguments to constructors.
__attribute__((constructor)) static void start(int count, char **arguments) {
    const char *folder = getenv("FAULTLINE_RECORD");
    if (folder == NULL || folder[0] == '\0') return;
    char *path = faultline_recorder_watch_tests(count, arguments);
    if (path == NULL || _swift_stdlib_overrideUnsafeArgvArgc == NULL) return;
    add_arguments(arguments, count, "--event-stream-output-path", path);
}
