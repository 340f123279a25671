// Writes and reads rows that another writer has changed since they were read.

#include "internal.h"

static void read_first(
    sqlite3 *connection, int64_t count, cb_books *books, cb_result *result
) {
    sqlite3_stmt *first = cb_prepare(
        connection, "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0 LIMIT ?", result);
    if (first) sqlite3_bind_int64(first, 1, count);
    cb_read_books(first, books, result);
    sqlite3_finalize(first);
}

// Acts as another writer, which adds a page to each book.
static void interfere(sqlite3 *connection, const cb_books *books, cb_result *result) {
    sqlite3_stmt *update = cb_prepare(
        connection, "UPDATE ZBOOK SET ZPAGES = ZPAGES + 1, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?",
        result);
    sqlite3_exec(connection, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (int64_t i = 0; i < books->count && result->code == SQLITE_OK; i++) {
        sqlite3_bind_int64(update, 1, books->items[i]->key);
        cb_step_done(update, result);
    }
    sqlite3_exec(connection, "COMMIT", NULL, NULL, NULL);
    sqlite3_finalize(update);
}

// Runs the UPDATE of one book. Returns whether the row still had the version that was read.
static int write_book(
    sqlite3 *connection, sqlite3_stmt *update, const cb_book *book, int64_t version,
    cb_result *result
) {
    sqlite3_bind_int64(update, 1, book->pages + 2);
    sqlite3_bind_int64(update, 2, version + 1);
    sqlite3_bind_int64(update, 3, book->key);
    sqlite3_bind_int64(update, 4, version);
    cb_step_done(update, result);
    return sqlite3_changes(connection) == 1;
}

void cb_conflict(const char *path, int64_t count, int policy, cb_result *result) {
    cb_books books = {0}, again = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    read_first(connection, count, &books, result);
    interfere(connection, &books, result);
    result->rows = 0;
    int64_t start = cb_now();
    sqlite3_stmt *update = cb_prepare(connection, CB_SAVE_PAGES, result);
    sqlite3_stmt *one = cb_prepare(
        connection, "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0 WHERE t0.Z_PK = ?", result);
    cb_run(connection, "BEGIN IMMEDIATE", CB_BEGIN, result);
    for (int64_t i = 0; i < books.count && result->code == SQLITE_OK; i++) {
        const cb_book *book = books.items[i];
        if (write_book(connection, update, book, book->version, result)) continue;
        sqlite3_bind_int64(one, 1, book->key);
        cb_read_books(one, &again, result);
        if (again.count <= i) break;
        int64_t version = again.items[i]->version;
        if (policy == 2 || policy == 3) write_book(connection, update, book, version, result);
    }
    cb_run(connection, policy == 0 ? "ROLLBACK" : "COMMIT", CB_COMMIT, result);
    result->nanoseconds = cb_now() - start;
    cb_finish(update, CB_UPDATE, result);
    cb_finish(one, CB_SELECT, result);
    cb_free_books(&books);
    cb_free_books(&again);
    cb_close(connection, result);
}

void cb_merge(const char *path, int64_t count, cb_result *result) {
    cb_books books = {0}, again = {0};
    cb_keys keys = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    read_first(connection, count, &books, result);
    interfere(connection, &books, result);
    for (int64_t i = 0; i < books.count; i++) cb_append_key(&keys, books.items[i]->key);
    result->rows = 0;
    int64_t start = cb_now();
    sqlite3_stmt *changed = cb_prepare(
        connection,
        "SELECT " CB_BOOK_COLUMNS " FROM cb_array(?1) a CROSS JOIN ZBOOK t0 ON t0.Z_PK = a.value",
        result);
    if (changed) cb_bind_keys(changed, 1, &keys);
    cb_read_books(changed, &again, result);
    result->checksum = cb_touch_books(&again);
    result->nanoseconds = cb_now() - start;
    cb_finish(changed, CB_SELECT, result);
    free(keys.items);
    cb_free_books(&books);
    cb_free_books(&again);
    cb_close(connection, result);
}
