// The reading workloads.

#include "internal.h"

#include <stdio.h>

#define KEYS_OF_BOOKS "SELECT t0.Z_PK FROM ZBOOK t0"
#define ALL_BOOKS "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0"
#define ONE_BOOK ALL_BOOKS " WHERE t0.Z_PK = ?"

static void read_one_by_one(
    sqlite3_stmt *one, const cb_keys *keys, cb_books *books, cb_result *result
) {
    for (int64_t i = 0; i < keys->count && result->code == SQLITE_OK; i++) {
        sqlite3_bind_int64(one, 1, keys->items[i]);
        cb_read_books(one, books, result);
    }
}

void cb_faults(const char *path, int pinned, int known, cb_result *result) {
    cb_books books = {0};
    cb_keys keys = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    sqlite3_stmt *all = cb_prepare(connection, KEYS_OF_BOOKS, result);
    if (known) cb_read_keys(all, &keys, result);
    int64_t start = cb_now();
    sqlite3_stmt *one = cb_prepare(connection, ONE_BOOK, result);
    if (pinned) cb_run(connection, "BEGIN", CB_BEGIN, result);
    if (!known) cb_read_keys(all, &keys, result);
    read_one_by_one(one, &keys, &books, result);
    result->checksum = cb_touch_books(&books);
    result->nanoseconds = cb_now() - start;
    if (pinned) cb_run(connection, "COMMIT", CB_COMMIT, result);
    cb_finish(all, CB_SELECT, result);
    cb_finish(one, CB_SELECT, result);
    cb_free_books(&books);
    free(keys.items);
    cb_close(connection, result);
}

// A hash table of books by their keys. It uses open addressing, like the engine's row cache.
typedef struct {
    cb_book **slots;
    uint64_t mask;
} table;

static uint64_t place(const table *table, int64_t key) {
    return ((uint64_t)key * 0x9E3779B97F4A7C15u >> 20) & table->mask;
}

static table make_table(const cb_books *books) {
    table made = {.mask = 1};
    while (made.mask < (uint64_t)books->count * 2) made.mask = made.mask * 2 + 1;
    made.slots = calloc(made.mask + 1, sizeof *made.slots);
    if (!made.slots) abort();
    for (int64_t i = 0; i < books->count; i++) {
        uint64_t at = place(&made, books->items[i]->key);
        while (made.slots[at]) at = (at + 1) & made.mask;
        made.slots[at] = books->items[i];
    }
    return made;
}

static const cb_book *look_up(const table *table, int64_t key) {
    uint64_t at = place(table, key);
    while (table->slots[at] && table->slots[at]->key != key) at = (at + 1) & table->mask;
    return table->slots[at];
}

void cb_cached(const char *path, int selects, cb_result *result) {
    cb_books cached = {0}, books = {0};
    cb_keys keys = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    sqlite3_stmt *rows = cb_prepare(connection, ALL_BOOKS, result);
    sqlite3_stmt *all = cb_prepare(connection, KEYS_OF_BOOKS, result);
    cb_read_books(rows, &cached, result);
    sqlite3_finalize(rows);
    if (!selects) cb_read_keys(all, &keys, result);
    result->rows = 0;
    table found = make_table(&cached);
    int64_t start = cb_now();
    if (selects) cb_read_keys(all, &keys, result);
    for (int64_t i = 0; i < keys.count; i++) {
        const cb_book *book = look_up(&found, keys.items[i]);
        if (book) cb_append_book(&books, cb_copy_book(book));
    }
    result->checksum = cb_touch_books(&books);
    result->nanoseconds = cb_now() - start;
    if (selects) cb_finish(all, CB_SELECT, result); else sqlite3_finalize(all);
    free(found.slots);
    cb_free_books(&books);
    cb_free_books(&cached);
    free(keys.items);
    cb_close(connection, result);
}

static sqlite3_stmt *prepare_batch(
    sqlite3 *connection, int64_t size, cb_batch_statement kind, cb_result *result
) {
    if (kind == CB_ARRAY_JOIN) {
        return cb_prepare(
            connection,
            "SELECT " CB_BOOK_COLUMNS
            " FROM cb_array(?1) a CROSS JOIN ZBOOK t0 ON t0.Z_PK = a.value",
            result);
    }
    static const char head[] = ALL_BOOKS " WHERE t0.Z_PK IN (?";
    char *sql = malloc(sizeof head + (size_t)size * 2 + 1);
    if (!sql) {
        cb_fail_text(SQLITE_NOMEM, "out of memory", result);
        return NULL;
    }
    char *end = sql + sprintf(sql, "%s", head);
    for (int64_t i = 1; i < size; i++) end += sprintf(end, ",?");
    sprintf(end, ")");
    sqlite3_stmt *statement = cb_prepare(connection, sql, result);
    free(sql);
    return statement;
}

static void bind_batch(sqlite3_stmt *statement, const cb_keys *keys, cb_batch_statement kind) {
    if (kind == CB_ARRAY_JOIN) {
        cb_bind_keys(statement, 1, keys);
        return;
    }
    for (int64_t i = 0; i < keys->count; i++) {
        sqlite3_bind_int64(statement, (int)i + 1, keys->items[i]);
    }
}

void cb_batches(
    const char *path, int64_t size, cb_batch_statement kind, cb_result *result
) {
    cb_books books = {0};
    cb_keys keys = {0};
    sqlite3_stmt *rest = NULL;
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *all = cb_prepare(connection, KEYS_OF_BOOKS, result);
    sqlite3_stmt *full = prepare_batch(connection, size, kind, result);
    cb_read_keys(all, &keys, result);
    for (int64_t first = 0; first < keys.count && result->code == SQLITE_OK; first += size) {
        cb_keys batch = {.items = keys.items + first, .count = keys.count - first};
        sqlite3_stmt *statement = full;
        if (batch.count >= size) {
            batch.count = size;
        } else if (kind == CB_IN_LIST) {
            statement = rest = prepare_batch(connection, batch.count, kind, result);
        }
        if (!statement) break;
        bind_batch(statement, &batch, kind);
        cb_read_books(statement, &books, result);
    }
    result->checksum = cb_touch_books(&books);
    result->nanoseconds = cb_now() - start;
    cb_finish(all, CB_SELECT, result);
    cb_finish(full, CB_SELECT, result);
    cb_finish(rest, CB_SELECT, result);
    cb_free_books(&books);
    free(keys.items);
    cb_close(connection, result);
}
