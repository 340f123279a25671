// Computes a digest of a whole database. If two digests are equal, the engine and the C code wrote
// the same rows.

#include "internal.h"

static uint64_t mixed(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *each = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ each[i]) * 0x100000001B3u;
    return hash;
}

// Adds up a hash of the columns of each row. The sum depends neither on the order of the rows nor
// on their keys.
static void add_rows(sqlite3 *connection, const char *sql, cb_result *result) {
    sqlite3_stmt *statement = cb_prepare(connection, sql, result);
    if (!statement) return;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        uint64_t hash = 0xCBF29CE484222325u;
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            int type = sqlite3_column_type(statement, i);
            hash = mixed(hash, &type, sizeof type);
            const void *bytes = sqlite3_column_blob(statement, i);
            if (bytes) hash = mixed(hash, bytes, (size_t)sqlite3_column_bytes(statement, i));
        }
        result->checksum += hash;
        result->rows++;
    }
    if (code != SQLITE_DONE) cb_fail(connection, code, result);
    cb_finish(statement, CB_SELECT, result);
}

void cb_digest(const char *path, cb_result *result) {
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    add_rows(connection, "SELECT Z_ENT, Z_OPT, ZNAME FROM ZAUTHOR", result);
    add_rows(
        connection,
        "SELECT b.Z_ENT, b.Z_OPT, b.ZCOPIES, b.ZPAGES, b.ZYEAR, b.ZTITLE, a.ZNAME "
        "FROM ZBOOK b LEFT JOIN ZAUTHOR a ON a.Z_PK = b.ZAUTHOR",
        result);
    cb_close(connection, result);
}
