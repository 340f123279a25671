#ifndef ORIGINALS_H
#define ORIGINALS_H

/// The function that one of this module stands in the place of; ends the process where there is
/// none.
void *faultline_find_original(const char *name);

#endif
