#include "CSQLite.h"

// The scalar function from which an UPDATE of many rows reads their new values. So one UPDATE can
// write rows with consecutive keys, and SQLite finds each row next to the previous one.

static void give_value(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    const csqlite_run *run = sqlite3_user_data(context);
    int64_t key = sqlite3_value_int64(argv[0]);
    int64_t place = sqlite3_value_int64(argv[1]);
    // Compared before the subtraction below, because a damaged file may contain any key.
    if (key < run->first_key || key > run->last_key || place < 0 || place >= run->width) {
        sqlite3_result_error(context, "the run of rows has no value for this key and position", -1);
        return;
    }
    const csqlite_run_value *value =
        &run->values[(key - run->first_key) * (int64_t)run->width + place];
    switch (value->form) {
    case CSQLITE_RUN_INTEGER: sqlite3_result_int64(context, value->integer); return;
    case CSQLITE_RUN_DOUBLE: sqlite3_result_double(context, value->real); return;
    case CSQLITE_RUN_TEXT:
        sqlite3_result_text64(
            context, value->bytes ? value->bytes : "", (sqlite3_uint64)value->integer,
            SQLITE_STATIC, SQLITE_UTF8);
        return;
    case CSQLITE_RUN_BLOB:
        sqlite3_result_blob64(
            context, value->bytes ? value->bytes : "", (sqlite3_uint64)value->integer,
            SQLITE_STATIC);
        return;
    default: sqlite3_result_null(context);
    }
}

int csqlite_add_run_function(sqlite3 *database, const char *name, const csqlite_run *run) {
    return sqlite3_create_function_v2(
        database, name, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, (void *)run, give_value, 0, 0, 0);
}
