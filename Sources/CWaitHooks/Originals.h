#ifndef ORIGINALS_H
#define ORIGINALS_H

/// Returns the system's function that a function of this module replaces; ends the process without
/// one.
/// is none.
void *faultline_find_original(const char *name);

#endif
