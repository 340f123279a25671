// Restricts untrusted SQL statements: the names that they may use, and the bytes that they may
// write outside the database.

#include "CSQLite.h"

#include <pthread.h>
#include <strings.h>

// MARK: Allowed names

// The allowed pragmas, which only read, or change only the database or the checks of the
// connection.
static const char *const harmless[] = {
    "application_id",  "collation_list",    "compile_options",          "data_version",
    "database_list",   "defer_foreign_keys", "encoding",                "foreign_key_check",
    "foreign_key_list", "foreign_keys",      "freelist_count",          "function_list",
    "ignore_check_constraints", "index_info", "index_list",             "index_xinfo",
    "integrity_check", "module_list",        "page_count",              "pragma_list",
    "query_only",      "quick_check",        "recursive_triggers",      "reverse_unordered_selects",
    "schema_version",  "table_info",         "table_list",              "table_xinfo",
    "user_version",    "wal_checkpoint",
};

// Pragmas that may be read but not set.
static const char *const readable[] = {
    "auto_vacuum", "busy_timeout", "cache_size", "journal_mode", "locking_mode", "page_size",
    "synchronous", "temp_store",
};

static int is_among(const char *name, const char *const *names, size_t count) {
    for (size_t index = 0; index < count; index++) {
        if (strcasecmp(name, names[index]) == 0) return 1;
    }
    return 0;
}

static int judge(
    void *unused, int action, const char *first, const char *second, const char *database,
    const char *inner) {
    (void)unused;
    (void)database;
    (void)inner;
    if (action == SQLITE_ATTACH || action == SQLITE_DETACH) return SQLITE_DENY;
    if (action != SQLITE_PRAGMA || !first) return SQLITE_OK;
    if (is_among(first, harmless, sizeof(harmless) / sizeof(*harmless))) return SQLITE_OK;
    if (!second && is_among(first, readable, sizeof(readable) / sizeof(*readable))) {
        return SQLITE_OK;
    }
    return SQLITE_DENY;
}

void csqlite_judge_statements(sqlite3 *database, int judges) {
    sqlite3_set_authorizer(database, judges ? judge : 0, 0);
}

// MARK: Files outside of the database

// A temporary file with a maximum size. SQLite's own struct for the file follows in memory.
typedef struct {
    sqlite3_file base;
    sqlite3_int64 limit;
} guest_file;

static sqlite3_vfs guests;
static sqlite3_vfs *original;

static size_t guest_size(void) { return (sizeof(guest_file) + 15) & ~(size_t)15; }

static sqlite3_file *behind(sqlite3_file *file) {
    return (sqlite3_file *)((char *)file + guest_size());
}

static int guest_close(sqlite3_file *file) {
    sqlite3_file *real = behind(file);
    return real->pMethods ? real->pMethods->xClose(real) : SQLITE_OK;
}

static int guest_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at) {
    return behind(file)->pMethods->xRead(behind(file), bytes, count, at);
}

static int guest_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at) {
    if (at + count > ((guest_file *)file)->limit) return SQLITE_FULL;
    return behind(file)->pMethods->xWrite(behind(file), bytes, count, at);
}

static int guest_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return behind(file)->pMethods->xTruncate(behind(file), size);
}

static int guest_sync(sqlite3_file *file, int flags) {
    return behind(file)->pMethods->xSync(behind(file), flags);
}

static int guest_file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return behind(file)->pMethods->xFileSize(behind(file), size);
}

static int guest_lock(sqlite3_file *file, int lock) {
    return behind(file)->pMethods->xLock(behind(file), lock);
}

static int guest_unlock(sqlite3_file *file, int lock) {
    return behind(file)->pMethods->xUnlock(behind(file), lock);
}

static int guest_is_reserved(sqlite3_file *file, int *result) {
    return behind(file)->pMethods->xCheckReservedLock(behind(file), result);
}

static int guest_control(sqlite3_file *file, int operation, void *argument) {
    // These hints allocate disk space in advance, beyond the limit.
    if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE) {
        return SQLITE_OK;
    }
    return behind(file)->pMethods->xFileControl(behind(file), operation, argument);
}

static int guest_sector(sqlite3_file *file) {
    return behind(file)->pMethods->xSectorSize(behind(file));
}

static int guest_characteristics(sqlite3_file *file) {
    return behind(file)->pMethods->xDeviceCharacteristics(behind(file));
}

// Version 1 of the methods has no shared memory and no memory mapping, which temporary files do not
// use.
static const sqlite3_io_methods guest_methods = {
    1, guest_close, guest_read, guest_write, guest_truncate, guest_sync, guest_file_size,
    guest_lock, guest_unlock, guest_is_reserved, guest_control, guest_sector,
    guest_characteristics, 0, 0, 0, 0, 0, 0,
};

static int guest_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *result) {
    (void)vfs;
    const int temporary =
        SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL
        | SQLITE_OPEN_SUBJOURNAL;
    if (!(flags & temporary)) return original->xOpen(original, name, file, flags, result);
    file->pMethods = 0;
    ((guest_file *)file)->limit = CSQLITE_GUEST_BYTES;
    int code = original->xOpen(original, name, behind(file), flags, result);
    if (code == SQLITE_OK) file->pMethods = &guest_methods;
    return code;
}

static const char *const guest_name = "faultline-guest";
static int is_registered;

static void set_up(void) {
    original = sqlite3_vfs_find(0);
    if (!original) return;
    guests = *original;
    guests.zName = guest_name;
    guests.pNext = 0;
    guests.szOsFile = original->szOsFile + (int)guest_size();
    guests.xOpen = guest_open;
    is_registered = sqlite3_vfs_register(&guests, 0) == SQLITE_OK;
}

const char *csqlite_guest_files(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    return is_registered ? guest_name : 0;
}
