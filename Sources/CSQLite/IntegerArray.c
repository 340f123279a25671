#include "CSQLite.h"

#include <stddef.h>
#include <string.h>

// The table-valued function over an array of 64-bit integers. A statement joins it instead of
// listing parameters, so its text does not depend on the number of keys.

#define POINTER_TYPE "faultline-integer-array"

enum { COLUMN_VALUE, COLUMN_ARRAY };
enum { PLAN_EMPTY, PLAN_ARRAY };

typedef struct {
    int64_t count;
    int64_t values[];
} IntegerArray;

typedef struct {
    sqlite3_vtab_cursor base;
    const IntegerArray *array;
    int64_t position;
    int64_t count;
} Cursor;

static int connect(
    sqlite3 *database, void *data, int argc, const char *const *argv, sqlite3_vtab **table,
    char **message) {
    (void)data; (void)argc; (void)argv; (void)message;
    int code = sqlite3_declare_vtab(database, "CREATE TABLE x(value INTEGER, array HIDDEN)");
    if (code != SQLITE_OK) return code;
    sqlite3_vtab *made = sqlite3_malloc(sizeof(*made));
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof(*made));
    sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
    *table = made;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    info->idxNum = PLAN_EMPTY;
    info->estimatedCost = 1e12;
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].iColumn != COLUMN_ARRAY) continue;
        if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->idxNum = PLAN_ARRAY;
        info->estimatedCost = 100;
        info->estimatedRows = 100;
    }
    int byRow = info->nOrderBy == 1 && info->aOrderBy[0].iColumn == -1 && !info->aOrderBy[0].desc;
    info->orderByConsumed = byRow;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
    (void)table;
    Cursor *made = sqlite3_malloc(sizeof(*made));
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof(*made));
    *cursor = &made->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int filter(
    sqlite3_vtab_cursor *base, int plan, const char *text, int argc, sqlite3_value **argv) {
    (void)text;
    Cursor *cursor = (Cursor *)base;
    cursor->position = 0;
    cursor->array = NULL;
    if (plan == PLAN_ARRAY && argc == 1) {
        cursor->array = sqlite3_value_pointer(argv[0], POINTER_TYPE);
    }
    cursor->count = cursor->array ? cursor->array->count : 0;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base) {
    ((Cursor *)base)->position++;
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base) {
    const Cursor *cursor = (const Cursor *)base;
    return cursor->position >= cursor->count;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index) {
    const Cursor *cursor = (const Cursor *)base;
    if (index == COLUMN_VALUE) {
        sqlite3_result_int64(context, cursor->array->values[cursor->position]);
    }
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
    *row = ((const Cursor *)base)->position + 1;
    return SQLITE_OK;
}

#define METHODS                                                                                   \
    .iVersion = 0, .xConnect = connect, .xBestIndex = best_index, .xDisconnect = disconnect,      \
    .xOpen = open_cursor, .xClose = close_cursor, .xFilter = filter, .xNext = next,               \
    .xEof = is_at_end, .xColumn = column, .xRowid = row_id

// A module without xCreate has only one table, which has the module's name (eponymous-only). CREATE
// VIRTUAL TABLE cannot create another one.
static const sqlite3_module integerArrayModule = {METHODS};

static int create(
    sqlite3 *database, void *data, int argc, const char *const *argv, sqlite3_vtab **table,
    char **message) {
    return connect(database, data, argc, argv, table, message);
}

// If xCreate differs from xConnect, the module has no eponymous table: its table exists only in the
// schema where it is created.
static const sqlite3_module createdArrayModule = {
    .xCreate = create, .xDestroy = disconnect, METHODS,
};

int csqlite_add_integer_array_function(sqlite3 *database, const char *name) {
    return sqlite3_create_module(database, name, &integerArrayModule, NULL);
}

int csqlite_add_temporary_integer_array_function(sqlite3 *database, const char *name) {
    int code = sqlite3_create_module(database, name, &createdArrayModule, NULL);
    if (code != SQLITE_OK) return code;
    // The temporary schema is kept in memory, because it has only this table without rows.
    char *sql = sqlite3_mprintf(
        "PRAGMA temp_store = MEMORY; CREATE VIRTUAL TABLE temp.\"%w\" USING \"%w\"", name, name);
    if (!sql) return SQLITE_NOMEM;
    code = sqlite3_exec(database, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return code;
}

// SQLite registers the table of a pragma again when it is next used. It registers those of the JSON
// functions only once, so their use after the removal is an error.
static int has_table_by_name(const char *module) {
    return strncmp(module, "pragma_", 7) == 0 || strcmp(module, "json_each") == 0
        || strcmp(module, "json_tree") == 0;
}

enum { FORGOTTEN_MAX = 96 };

int csqlite_forget_tables_by_name(sqlite3 *database, int *forgottenCount) {
    *forgottenCount = 0;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database, "PRAGMA module_list", -1, &statement, NULL);
    if (code != SQLITE_OK) return code;
    char *names[FORGOTTEN_MAX];
    int count = 0;
    // The names are collected before any module is removed, because the statement reads the list of
    // modules.
    while (count < FORGOTTEN_MAX && sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        if (!name || !has_table_by_name(name)) continue;
        names[count] = sqlite3_mprintf("%s", name);
        if (names[count]) count++;
    }
    code = sqlite3_finalize(statement);
    for (int i = 0; i < count; i++) {
        int forgotten = sqlite3_create_module(database, names[i], NULL, NULL);
        if (code == SQLITE_OK) code = forgotten;
        sqlite3_free(names[i]);
    }
    *forgottenCount = count;
    return code;
}

int csqlite_bind_integer_array(
    sqlite3_stmt *statement, int index, const int64_t *values, int64_t count) {
    sqlite3_uint64 size = sizeof(IntegerArray) + (sqlite3_uint64)count * sizeof(int64_t);
    IntegerArray *array = sqlite3_malloc64(size);
    if (!array) return SQLITE_NOMEM;
    array->count = count;
    if (count > 0) memcpy(array->values, values, (size_t)count * sizeof(int64_t));
    return sqlite3_bind_pointer(statement, index, array, POINTER_TYPE, sqlite3_free);
}
