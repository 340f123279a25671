// The writing workloads, each in one transaction that takes the write lock at its start.

#include "internal.h"

static void bind_text(
    sqlite3_stmt *statement, int index, const char *texts, const int64_t *offsets, int64_t i
) {
    int length = (int)(offsets[i + 1] - offsets[i]);
    sqlite3_bind_text(statement, index, texts + offsets[i], length, SQLITE_STATIC);
}

static void insert_authors(sqlite3_stmt *insert, const cb_dataset *data, cb_result *result) {
    for (int64_t i = 0; i < data->authors && result->code == SQLITE_OK; i++) {
        sqlite3_bind_int64(insert, 1, i + 1);
        bind_text(insert, 2, data->names, data->name_offsets, i);
        cb_step_done(insert, result);
    }
}

static void insert_books(sqlite3_stmt *insert, const cb_dataset *data, cb_result *result) {
    int64_t count = data->authors * data->books_per_author;
    for (int64_t i = 0; i < count && result->code == SQLITE_OK; i++) {
        sqlite3_bind_int64(insert, 1, i + 1);
        sqlite3_bind_int64(insert, 2, data->copies[i]);
        sqlite3_bind_int64(insert, 3, data->pages[i]);
        sqlite3_bind_int64(insert, 4, data->years[i]);
        sqlite3_bind_int64(insert, 5, i / data->books_per_author + 1);
        bind_text(insert, 6, data->titles, data->title_offsets, i);
        cb_step_done(insert, result);
    }
}

// Takes `count` keys of an entity, as Core Data numbers its rows.
static void reserve_keys(sqlite3_stmt *reserve, int entity, int64_t count, cb_result *result) {
    if (result->code != SQLITE_OK) return;
    sqlite3_bind_int64(reserve, 1, count);
    sqlite3_bind_int(reserve, 2, entity);
    cb_step_done(reserve, result);
}

void cb_insert(const char *path, const cb_dataset *data, cb_result *result) {
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *reserve = cb_prepare(
        connection, "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + ? WHERE Z_ENT = ?", result);
    sqlite3_stmt *author = cb_prepare(
        connection, "INSERT INTO ZAUTHOR(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, 1, 1, ?)", result);
    sqlite3_stmt *book = cb_prepare(
        connection,
        "INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZCOPIES, ZPAGES, ZYEAR, ZAUTHOR, ZTITLE) "
        "VALUES(?, 2, 1, ?, ?, ?, ?, ?)",
        result);
    cb_run(connection, "BEGIN IMMEDIATE", CB_BEGIN, result);
    reserve_keys(reserve, 1, data->authors, result);
    reserve_keys(reserve, 2, data->authors * data->books_per_author, result);
    insert_authors(author, data, result);
    insert_books(book, data, result);
    cb_run(connection, "COMMIT", CB_COMMIT, result);
    result->nanoseconds = cb_now() - start;
    cb_finish(reserve, CB_UPDATE, result);
    cb_finish(author, CB_INSERT, result);
    cb_finish(book, CB_INSERT, result);
    cb_close(connection, result);
}

// Steps a statement that must change exactly one row: another writer's version loses here.
static void change_one(sqlite3 *connection, sqlite3_stmt *statement, cb_result *result) {
    cb_step_done(statement, result);
    if (result->code == SQLITE_OK && sqlite3_changes(connection) != 1) {
        cb_fail_text(SQLITE_MISMATCH, "a row has another version than was read", result);
    }
}

void cb_update(const char *path, int64_t count, cb_result *result) {
    cb_books books = {0};
    sqlite3_stmt *update = NULL;
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    sqlite3_stmt *first = cb_prepare(
        connection, "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0 LIMIT ?", result);
    if (first) sqlite3_bind_int64(first, 1, count);
    cb_read_books(first, &books, result);
    sqlite3_finalize(first);
    result->rows = 0;
    int64_t start = cb_now();
    update = cb_prepare(
        connection, "UPDATE ZBOOK SET ZPAGES = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?", result);
    cb_run(connection, "BEGIN IMMEDIATE", CB_BEGIN, result);
    for (int64_t i = 0; i < books.count && result->code == SQLITE_OK; i++) {
        const cb_book *book = books.items[i];
        sqlite3_bind_int64(update, 1, book->pages + 1);
        sqlite3_bind_int64(update, 2, book->version + 1);
        sqlite3_bind_int64(update, 3, book->key);
        sqlite3_bind_int64(update, 4, book->version);
        change_one(connection, update, result);
    }
    cb_run(connection, "COMMIT", CB_COMMIT, result);
    result->nanoseconds = cb_now() - start;
    cb_finish(update, CB_UPDATE, result);
    cb_free_books(&books);
    cb_close(connection, result);
}

// Deletes rows by key and version, which lie in pairs.
static void delete_pairs(
    sqlite3 *connection, sqlite3_stmt *statement, const cb_keys *pairs, cb_result *result
) {
    for (int64_t i = 0; i + 1 < pairs->count && result->code == SQLITE_OK; i += 2) {
        sqlite3_bind_int64(statement, 1, pairs->items[i]);
        sqlite3_bind_int64(statement, 2, pairs->items[i + 1]);
        change_one(connection, statement, result);
    }
}

static void read_pairs(sqlite3_stmt *statement, cb_keys *pairs, cb_result *result) {
    if (result->code != SQLITE_OK) return;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        cb_append_key(pairs, sqlite3_column_int64(statement, 0));
        cb_append_key(pairs, sqlite3_column_int64(statement, 1));
        result->rows++;
    }
    if (code != SQLITE_DONE) cb_fail(sqlite3_db_handle(statement), code, result);
    sqlite3_reset(statement);
}

void cb_cascade_delete(const char *path, int64_t count, cb_result *result) {
    cb_keys authors = {0}, books = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    sqlite3_stmt *first = cb_prepare(
        connection, "SELECT t0.Z_PK, t0.Z_OPT FROM ZAUTHOR t0 LIMIT ?", result);
    if (first) sqlite3_bind_int64(first, 1, count);
    read_pairs(first, &authors, result);
    sqlite3_finalize(first);
    result->rows = 0;
    int64_t start = cb_now();
    sqlite3_stmt *members = cb_prepare(
        connection, "SELECT t0.Z_PK, t0.Z_OPT FROM ZBOOK t0 WHERE t0.ZAUTHOR = ?", result);
    sqlite3_stmt *book = cb_prepare(
        connection, "DELETE FROM ZBOOK WHERE Z_PK = ? AND Z_OPT = ?", result);
    sqlite3_stmt *author = cb_prepare(
        connection, "DELETE FROM ZAUTHOR WHERE Z_PK = ? AND Z_OPT = ?", result);
    for (int64_t i = 0; i + 1 < authors.count && result->code == SQLITE_OK; i += 2) {
        sqlite3_bind_int64(members, 1, authors.items[i]);
        read_pairs(members, &books, result);
    }
    cb_run(connection, "BEGIN IMMEDIATE", CB_BEGIN, result);
    delete_pairs(connection, book, &books, result);
    delete_pairs(connection, author, &authors, result);
    cb_run(connection, "COMMIT", CB_COMMIT, result);
    result->nanoseconds = cb_now() - start;
    cb_finish(members, CB_SELECT, result);
    cb_finish(book, CB_DELETE, result);
    cb_finish(author, CB_DELETE, result);
    free(authors.items);
    free(books.items);
    cb_close(connection, result);
}
