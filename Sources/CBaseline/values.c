// Workloads with large or computed values: bytes in a column, bytes in separate files, and values
// that triggers compute.

#include "internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLAIN, TRANSFORMABLE, DERIVED, EXTERNAL };

#define PATH_MAX_BYTES 4096

// Writes one file so that it survives a power failure.
static void write_file(
    const char *folder, int64_t number, const char *bytes, int64_t count, cb_result *result
) {
    char path[PATH_MAX_BYTES];
    snprintf(path, sizeof path, "%s/%lld", folder, (long long)number);
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
    if (file < 0) return cb_fail_text(SQLITE_CANTOPEN, "a value's file cannot be created", result);
    if (write(file, bytes, (size_t)count) != count || fsync(file) != 0) {
        cb_fail_text(SQLITE_IOERR_WRITE, "a value's file cannot be written", result);
    }
    close(file);
    int directory = open(folder, O_RDONLY);
    if (directory < 0 || fsync(directory) != 0) {
        cb_fail_text(SQLITE_IOERR_DIR_FSYNC, "a folder of values cannot be written", result);
    }
    if (directory >= 0) close(directory);
}

// Removes the files of this run, so that the next run starts without files.
static void remove_files(const char *folder, int64_t count) {
    char path[PATH_MAX_BYTES];
    for (int64_t i = 1; i <= count; i++) {
        snprintf(path, sizeof path, "%s/%lld", folder, (long long)i);
        unlink(path);
    }
    rmdir(folder);
}

static int64_t read_file(const char *folder, int64_t number, char *buffer, int64_t count) {
    char path[PATH_MAX_BYTES];
    snprintf(path, sizeof path, "%s/%lld", folder, (long long)number);
    int file = open(path, O_RDONLY);
    if (file < 0) return 0;
    int64_t found = read(file, buffer, (size_t)count);
    close(file);
    return found;
}

// The triggers of derived attributes call this SQL function for each row that they change, as in
// Core Data.
static void note_derived(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    (void)values;
    sqlite3_result_int(context, 1);
}

static void insert_papers(
    sqlite3 *connection, int kind, int64_t count, const char *bytes, int64_t size, int64_t folders,
    cb_result *result
) {
    static const char *const texts[] = {
        "INSERT INTO ZPAPER(Z_PK, Z_ENT, Z_OPT, ZPLAIN) VALUES(?, 2, 1, ?)",
        "INSERT INTO ZPAPER(Z_PK, Z_ENT, Z_OPT, ZNOTE) VALUES(?, 2, 1, ?)",
        "INSERT INTO ZPAPER(Z_PK, Z_ENT, Z_OPT, ZFOLDER) VALUES(?, 2, 1, ?)",
        "INSERT INTO ZPAPER(Z_PK, Z_ENT, Z_OPT, ZSCAN) VALUES(?, 2, 1, ?)",
    };
    char name[32];
    cb_run(connection, "BEGIN IMMEDIATE", CB_BEGIN, result);
    sqlite3_stmt *reserve = cb_prepare(
        connection, "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + ? WHERE Z_ENT = 2", result);
    sqlite3_stmt *insert = cb_prepare(connection, texts[kind], result);
    if (reserve) {
        sqlite3_bind_int64(reserve, 1, count);
        cb_step_done(reserve, result);
    }
    for (int64_t i = 1; i <= count && result->code == SQLITE_OK; i++) {
        sqlite3_bind_int64(insert, 1, i);
        if (kind == DERIVED) {
            sqlite3_bind_int64(insert, 2, (i - 1) % folders + 1);
        } else if (kind == EXTERNAL) {
            int length = snprintf(name, sizeof name, "%lld", (long long)i);
            sqlite3_bind_blob(insert, 2, name, length, SQLITE_STATIC);
        } else {
            sqlite3_bind_blob(insert, 2, bytes, (int)size, SQLITE_STATIC);
        }
        cb_step_done(insert, result);
    }
    cb_finish(reserve, CB_UPDATE, result);
    cb_finish(insert, CB_INSERT, result);
    cb_run(connection, "COMMIT", CB_COMMIT, result);
}

static void read_papers(
    sqlite3 *connection, int kind, const char *folder, char *buffer, int64_t size,
    cb_result *result
) {
    static const char *const texts[] = {
        "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZPLAIN FROM ZPAPER t0",
        "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZNOTE FROM ZPAPER t0",
        "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZPAPERCOUNT, t0.ZNAME FROM ZFOLDER t0",
        "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZSCAN FROM ZPAPER t0",
    };
    sqlite3_stmt *statement = cb_prepare(connection, texts[kind], result);
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        if (kind == DERIVED) {
            result->checksum += (uint64_t)sqlite3_column_int64(statement, 3);
        } else if (kind == EXTERNAL) {
            int64_t number = sqlite3_column_int64(statement, 1);
            result->checksum += (uint64_t)read_file(folder, number, buffer, size);
        } else {
            int count = sqlite3_column_bytes(statement, 3);
            memcpy(buffer, sqlite3_column_blob(statement, 3), (size_t)count);
            result->checksum += (uint64_t)count;
        }
        result->rows++;
    }
    cb_finish(statement, CB_SELECT, result);
}

void cb_values(const char *path, int kind, int64_t count, int64_t size, cb_result *result) {
    char folder[PATH_MAX_BYTES];
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    char *bytes = malloc((size_t)size), *buffer = malloc((size_t)size);
    cb_keys folders = {0};
    if (!bytes || !buffer) cb_fail(NULL, SQLITE_NOMEM, result);
    else memset(bytes, 'a', (size_t)size);
    snprintf(folder, sizeof folder, "%s-values", path);
    if (result->code == SQLITE_OK) {
        int code = sqlite3_create_function(
            connection, "NSCoreDataDATriggerUpdatedAffectedObjectValue", -1, SQLITE_UTF8, NULL,
            note_derived, NULL, NULL);
        if (code != SQLITE_OK) cb_fail(connection, code, result);
    }
    int64_t start = cb_now();
    sqlite3_stmt *all = cb_prepare(
        connection, "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZPAPERCOUNT, t0.ZNAME FROM ZFOLDER t0",
        result);
    cb_read_keys(all, &folders, result);
    cb_finish(all, CB_SELECT, result);
    if (kind == EXTERNAL && mkdir(folder, 0755) != 0) {
        cb_fail_text(SQLITE_CANTOPEN, "the folder of values cannot be created", result);
    }
    for (int64_t i = 1; kind == EXTERNAL && i <= count && result->code == SQLITE_OK; i++) {
        write_file(folder, i, bytes, size, result);
    }
    if (result->code == SQLITE_OK) {
        insert_papers(connection, kind, count, bytes, size, folders.count, result);
        read_papers(connection, kind, folder, buffer, size, result);
    }
    result->nanoseconds = cb_now() - start;
    if (kind == EXTERNAL) remove_files(folder, count);
    free(folders.items);
    free(bytes);
    free(buffer);
    cb_close(connection, result);
}
