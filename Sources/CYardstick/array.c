// A table-valued function over a list of keys: `SELECT value FROM cb_array(?1)`. The text of its
// statement does not depend on the length of the list. It is the cheapest method to read many rows
// from SQLite.

#include "internal.h"

typedef struct {
    sqlite3_vtab_cursor base;
    const cb_keys *keys;
    int64_t position;
} cursor;

static int array_connect(
    sqlite3 *connection, void *unused, int argc, const char *const *argv, sqlite3_vtab **table,
    char **error
) {
    (void)unused; (void)argc; (void)argv; (void)error;
    int code = sqlite3_declare_vtab(connection, "CREATE TABLE x(value INTEGER, list HIDDEN)");
    if (code != SQLITE_OK) return code;
    *table = calloc(1, sizeof **table);
    return *table ? SQLITE_OK : SQLITE_NOMEM;
}

static int array_disconnect(sqlite3_vtab *table) {
    free(table);
    return SQLITE_OK;
}

static int array_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (constraint->iColumn != 1 || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (!constraint->usable) return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->estimatedCost = 1;
        info->estimatedRows = 100;
        return SQLITE_OK;
    }
    return SQLITE_CONSTRAINT;
}

static int array_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out) {
    (void)table;
    cursor *made = calloc(1, sizeof *made);
    *out = (sqlite3_vtab_cursor *)made;
    return made ? SQLITE_OK : SQLITE_NOMEM;
}

static int array_close(sqlite3_vtab_cursor *base) {
    free(base);
    return SQLITE_OK;
}

static int array_filter(
    sqlite3_vtab_cursor *base, int plan, const char *text, int argc, sqlite3_value **argv
) {
    (void)plan; (void)text;
    cursor *self = (cursor *)base;
    self->keys = argc == 1 ? sqlite3_value_pointer(argv[0], "cb_keys") : NULL;
    self->position = 0;
    return SQLITE_OK;
}

static int array_next(sqlite3_vtab_cursor *base) {
    ((cursor *)base)->position++;
    return SQLITE_OK;
}

static int array_eof(sqlite3_vtab_cursor *base) {
    const cursor *self = (cursor *)base;
    return !self->keys || self->position >= self->keys->count;
}

static int array_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const cursor *self = (cursor *)base;
    if (column == 0) sqlite3_result_int64(context, self->keys->items[self->position]);
    return SQLITE_OK;
}

static int array_rowid(sqlite3_vtab_cursor *base, sqlite_int64 *rowid) {
    *rowid = ((cursor *)base)->position;
    return SQLITE_OK;
}

static const sqlite3_module array_module = {
    .xConnect = array_connect, .xDisconnect = array_disconnect, .xBestIndex = array_best_index,
    .xOpen = array_open, .xClose = array_close, .xFilter = array_filter, .xNext = array_next,
    .xEof = array_eof, .xColumn = array_column, .xRowid = array_rowid,
};

int cb_register_array(sqlite3 *connection) {
    return sqlite3_create_module(connection, "cb_array", &array_module, NULL);
}

int cb_bind_keys(sqlite3_stmt *statement, int index, const cb_keys *keys) {
    return sqlite3_bind_pointer(statement, index, (void *)keys, "cb_keys", NULL);
}
