// The tables that Core Data creates for authors and books.

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
