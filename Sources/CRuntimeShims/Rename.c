#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "CRuntimeShims.h"

int faultline_rename(const char *path, const char *target, bool exchanges) {
    unsigned flags = exchanges ? RENAME_EXCHANGE : RENAME_NOREPLACE;
    return renameat2(AT_FDCWD, path, AT_FDCWD, target, flags) == 0 ? 0 : errno;
}
