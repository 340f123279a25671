// Creates the tables of Core Data for authors and books, and drops indexes.

#include "internal.h"

static const char *const schema[] = {
    "PRAGMA auto_vacuum = 2",
    "PRAGMA journal_mode = WAL",
    "BEGIN",
    "CREATE TABLE ZAUTHOR (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
    "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
    "ZCOPIES INTEGER, ZPAGES INTEGER, ZYEAR INTEGER, ZAUTHOR INTEGER, ZTITLE VARCHAR)",
    "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)",
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
    "Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Author', 0, 0), (2, 'Book', 0, 0)",
    "COMMIT",
};

void cb_create(const char *path, cb_result *result) {
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, result);
    for (size_t i = 0; i < sizeof schema / sizeof *schema; i++) {
        cb_run(connection, schema[i], CB_OTHER, result);
    }
    cb_close(connection, result);
}

void cb_drop_indexes(const char *path, cb_result *result) {
    char *sql = NULL;
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    sqlite3_stmt *names = cb_prepare(
        connection,
        "SELECT group_concat('DROP INDEX \"' || name || '\"', ';') FROM sqlite_master "
        "WHERE type = 'index' AND sql IS NOT NULL",
        result);
    if (names && sqlite3_step(names) == SQLITE_ROW && sqlite3_column_text(names, 0)) {
        sql = sqlite3_mprintf("%s", sqlite3_column_text(names, 0));
    }
    sqlite3_finalize(names);
    int code = sql ? sqlite3_exec(connection, sql, NULL, NULL, NULL) : SQLITE_OK;
    if (code != SQLITE_OK) cb_fail(connection, code, result);
    sqlite3_free(sql);
    cb_close(connection, result);
}
