#include "CSQLite.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int csqlite_look_at_file(const char *path, csqlite_file_facts *facts) {
    struct stat found;
    memset(facts, 0, sizeof(*facts));
    if (stat(path, &found) != 0) return errno;
    facts->kind = S_ISREG(found.st_mode) ? CSQLITE_REGULAR_FILE
        : S_ISDIR(found.st_mode)         ? CSQLITE_FOLDER
                                         : CSQLITE_OTHER_FILE;
    facts->size = found.st_size;
    facts->device = found.st_dev;
    facts->inode = found.st_ino;
    return 0;
}

// SQLite's file system opens and closes the file. It knows which locks this process holds on the
// file, and closes the descriptor only when none is left.
static int read_start(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, void *bytes, int capacity, int *count) {
    int code = vfs->xOpen(vfs, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL);
    if (code == SQLITE_OK) {
        sqlite3_int64 size = 0;
        code = file->pMethods->xFileSize(file, &size);
        *count = size < capacity ? (int)size : capacity;
        if (code == SQLITE_OK && *count > 0) {
            code = file->pMethods->xRead(file, bytes, *count, 0);
        }
    }
    if (file->pMethods) file->pMethods->xClose(file);
    return code;
}

int csqlite_read_start(
    const char *path, void *bytes, int capacity, int *count, int *system_error) {
    *count = 0;
    *system_error = 0;
    csqlite_keep_no_memory_account();
    int code = sqlite3_initialize();
    if (code != SQLITE_OK) return code;
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    if (!vfs) return SQLITE_ERROR;
    char *full = sqlite3_malloc(vfs->mxPathname + 1);
    sqlite3_file *file = sqlite3_malloc(vfs->szOsFile);
    const char *name = NULL;
    if (full && file) {
        memset(file, 0, (size_t)vfs->szOsFile);
        code = vfs->xFullPathname(vfs, path, vfs->mxPathname + 1, full);
        if (code == SQLITE_OK || code == SQLITE_OK_SYMLINK) {
            name = sqlite3_create_filename(full, "", "", 0, NULL);
            code = name ? read_start(vfs, name, file, bytes, capacity, count) : SQLITE_NOMEM;
        }
        if (code != SQLITE_OK && vfs->xGetLastError) {
            *system_error = vfs->xGetLastError(vfs, 0, NULL);
        }
    } else {
        code = SQLITE_NOMEM;
    }
    if (name) sqlite3_free_filename((char *)name);
    sqlite3_free(file);
    sqlite3_free(full);
    return code;
}
