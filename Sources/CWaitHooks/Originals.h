#ifndef ORIGINALS_H
#define ORIGINALS_H

#include <stdbool.h>
#include <stddef.h>

/// Returns the system's function that a function of this module replaces; ends the process if none
/// exists.
void *faultline_find_original(const char *name);

/// Declares `original`, which goes on to the function of the name.
#define FAULTLINE_ORIGINAL(name) FAULTLINE_ORIGINAL_AS(original, name)
#define FAULTLINE_ORIGINAL_AS(variable, name) \
    static _Atomic(typeof(&name)) found_##variable; \
    if (found_##variable == NULL) { \
        found_##variable = (typeof(&name))faultline_find_original(#name); \
    } \
    typeof(&name) variable = found_##variable

/// Whether what the calling thread does is offered to takers.
bool faultline_is_watched(void);
/// Offers no more until the matching end: a taker's own doing is nobody's.
void faultline_begin_taking(void);
void faultline_end_taking(void);
/// Runs the program's own work, which is watched again, inside of a taker.
void faultline_run_watched(void (*work)(void *), void *context);

/// Whether the program's own code makes the call whose frame it is: directly, or by the methods of
/// Foundation's locks.
bool faultline_is_own_call(const void *frame);

#endif
