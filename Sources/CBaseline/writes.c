// The writing workloads, each in one transaction that takes the write lock at its start.

#include "internal.h"

static void bind_text(
    sqlite3_stmt *statement, int index, const char *texts, const int64_t *offsets, int64_t i
) {
    int length = (int)(offsets[i + 1] - offsets[i]);
    sqlite3_bind_text(statement, index, texts + offsets[i], length, SQLITE_STATIC);
}

typedef struct {
    sqlite3 *connection;
    sqlite3_stmt *reserve, *author, *book;
    int64_t author_key, book_key;
} inserter;

static void insert_author(inserter *to, const cb_dataset *data, int64_t i, cb_result *result) {
    sqlite3_bind_int64(to->author, 1, to->author_key + i + 1);
    bind_text(to->author, 2, data->names, data->name_offsets, i);
    cb_step_done(to->author, result);
}

static void insert_book(inserter *to, const cb_dataset *data, int64_t i, cb_result *result) {
    int64_t author = to->author_key + i / data->books_per_author + 1;
    sqlite3_bind_int64(to->book, 1, to->book_key + i + 1);
    sqlite3_bind_int64(to->book, 2, data->copies[i]);
    sqlite3_bind_int64(to->book, 3, data->pages[i]);
    sqlite3_bind_int64(to->book, 4, data->years[i]);
    sqlite3_bind_int64(to->book, 5, author);
    bind_text(to->book, 6, data->titles, data->title_offsets, i);
    cb_step_done(to->book, result);
}

// Reserves `count` keys of an entity in Core Data's table of primary keys.
static void reserve_keys(sqlite3_stmt *reserve, int entity, int64_t count, cb_result *result) {
    if (result->code != SQLITE_OK || count == 0) return;
    sqlite3_bind_int64(reserve, 1, count);
    sqlite3_bind_int(reserve, 2, entity);
    cb_step_done(reserve, result);
}

static int64_t last_key(sqlite3 *connection, int entity, cb_result *result) {
    int64_t key = 0;
    sqlite3_stmt *statement = cb_prepare(
        connection, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", result);
    if (!statement) return 0;
    sqlite3_bind_int(statement, 1, entity);
    if (sqlite3_step(statement) == SQLITE_ROW) key = sqlite3_column_int64(statement, 0);
    cb_finish(statement, CB_SELECT, result);
    return key;
}

// Inserts the books from `first` up to `end` in one transaction. The authors whose first book is
// among them are inserted too.
static void insert_chunk(
    inserter *to, const cb_dataset *data, int64_t first, int64_t end, cb_result *result
) {
    int64_t each = data->books_per_author;
    int64_t begun = (first + each - 1) / each, ended = (end + each - 1) / each;
    cb_run(to->connection, "BEGIN IMMEDIATE", CB_BEGIN, result);
    reserve_keys(to->reserve, 1, ended - begun, result);
    reserve_keys(to->reserve, 2, end - first, result);
    for (int64_t i = begun; i < ended && result->code == SQLITE_OK; i++) {
        insert_author(to, data, i, result);
    }
    for (int64_t i = first; i < end && result->code == SQLITE_OK; i++) {
        insert_book(to, data, i, result);
    }
    cb_run(to->connection, "COMMIT", CB_COMMIT, result);
}

void cb_insert_rows(
    sqlite3 *connection, const cb_dataset *data, int64_t chunk, cb_result *result
) {
    int64_t count = data->authors * data->books_per_author;
    inserter to = {.connection = connection};
    to.reserve = cb_prepare(
        connection, "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + ? WHERE Z_ENT = ?", result);
    to.author = cb_prepare(
        connection, "INSERT INTO ZAUTHOR(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, 1, 1, ?)", result);
    to.book = cb_prepare(
        connection,
        "INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZCOPIES, ZPAGES, ZYEAR, ZAUTHOR, ZTITLE) "
        "VALUES(?, 2, 1, ?, ?, ?, ?, ?)",
        result);
    to.author_key = last_key(connection, 1, result);
    to.book_key = last_key(connection, 2, result);
    if (chunk <= 0) chunk = count;
    for (int64_t first = 0; first < count && result->code == SQLITE_OK; first += chunk) {
        insert_chunk(&to, data, first, first + chunk < count ? first + chunk : count, result);
    }
    cb_finish(to.reserve, CB_UPDATE, result);
    cb_finish(to.author, CB_INSERT, result);
    cb_finish(to.book, CB_INSERT, result);
}

void cb_insert(const char *path, const cb_dataset *data, int64_t chunk, cb_result *result) {
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    cb_insert_rows(connection, data, chunk, result);
    result->nanoseconds = cb_now() - start;
    cb_close(connection, result);
}

void cb_change_one(sqlite3 *connection, sqlite3_stmt *statement, cb_result *result) {
    cb_step_done(statement, result);
    if (result->code == SQLITE_OK && sqlite3_changes(connection) != 1) {
        cb_fail_text(SQLITE_MISMATCH, "a row no longer has the version that was read", result);
    }
}

void cb_add_pages(
    sqlite3 *connection, sqlite3_stmt *update, cb_books *books, cb_result *result) {
    cb_run(connection, "BEGIN IMMEDIATE", CB_BEGIN, result);
    for (int64_t i = 0; i < books->count && result->code == SQLITE_OK; i++) {
        cb_book *book = books->items[i];
        sqlite3_bind_int64(update, 1, ++book->pages);
        sqlite3_bind_int64(update, 2, book->version + 1);
        sqlite3_bind_int64(update, 3, book->key);
        sqlite3_bind_int64(update, 4, book->version++);
        cb_change_one(connection, update, result);
    }
    cb_run(connection, "COMMIT", CB_COMMIT, result);
}

static void save_pages(sqlite3 *connection, const cb_books *books, cb_result *result) {
    sqlite3_stmt *update = cb_prepare(connection, CB_SAVE_PAGES, result);
    cb_run(connection, "BEGIN IMMEDIATE", CB_BEGIN, result);
    for (int64_t i = 0; i < books->count && result->code == SQLITE_OK; i++) {
        const cb_book *book = books->items[i];
        sqlite3_bind_int64(update, 1, book->pages);
        sqlite3_bind_int64(update, 2, book->version + 1);
        sqlite3_bind_int64(update, 3, book->key);
        sqlite3_bind_int64(update, 4, book->version);
        cb_change_one(connection, update, result);
    }
    cb_run(connection, "COMMIT", CB_COMMIT, result);
    cb_finish(update, CB_UPDATE, result);
}

void cb_access(const char *path, int64_t count, int64_t rounds, int reads, cb_result *result) {
    cb_books books = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    sqlite3_stmt *first = cb_prepare(
        connection, "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0 LIMIT ?", result);
    if (first) sqlite3_bind_int64(first, 1, count);
    cb_read_books(first, &books, result);
    sqlite3_finalize(first);
    result->rows = 0;
    int64_t start = cb_now();
    for (int64_t round = 0; round < rounds; round++) {
        for (int64_t i = 0; i < books.count; i++) {
            if (reads) result->checksum += cb_touch_book(books.items[i]);
            books.items[i]->pages += 1;
        }
    }
    save_pages(connection, &books, result);
    result->nanoseconds = cb_now() - start;
    cb_free_books(&books);
    cb_close(connection, result);
}

void cb_update(const char *path, int64_t count, cb_result *result) {
    cb_access(path, count, 1, 0, result);
}

// Deletes rows, which are pairs of key and version in the list.
static void delete_pairs(
    sqlite3 *connection, sqlite3_stmt *statement, const cb_keys *pairs, cb_result *result
) {
    for (int64_t i = 0; i + 1 < pairs->count && result->code == SQLITE_OK; i += 2) {
        sqlite3_bind_int64(statement, 1, pairs->items[i]);
        sqlite3_bind_int64(statement, 2, pairs->items[i + 1]);
        cb_change_one(connection, statement, result);
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

// Sets the author of these books to NULL. The books are pairs of key and version.
static void orphan_pairs(sqlite3 *connection, const cb_keys *pairs, cb_result *result) {
    sqlite3_stmt *statement = cb_prepare(
        connection,
        "UPDATE ZBOOK SET ZAUTHOR = NULL, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?", result);
    for (int64_t i = 0; i + 1 < pairs->count && result->code == SQLITE_OK; i += 2) {
        sqlite3_bind_int64(statement, 1, pairs->items[i + 1] + 1);
        sqlite3_bind_int64(statement, 2, pairs->items[i]);
        sqlite3_bind_int64(statement, 3, pairs->items[i + 1]);
        cb_change_one(connection, statement, result);
    }
    cb_finish(statement, CB_UPDATE, result);
}

static void delete_authors(
    sqlite3 *connection, const cb_keys *authors, const cb_keys *books, int rule, cb_result *result
) {
    sqlite3_stmt *book = cb_prepare(
        connection, "DELETE FROM ZBOOK WHERE Z_PK = ? AND Z_OPT = ?", result);
    sqlite3_stmt *author = cb_prepare(
        connection, "DELETE FROM ZAUTHOR WHERE Z_PK = ? AND Z_OPT = ?", result);
    cb_run(connection, "BEGIN IMMEDIATE", CB_BEGIN, result);
    if (rule == 0) delete_pairs(connection, book, books, result);
    if (rule == 1) orphan_pairs(connection, books, result);
    delete_pairs(connection, author, authors, result);
    cb_run(connection, "COMMIT", CB_COMMIT, result);
    cb_finish(book, CB_DELETE, result);
    cb_finish(author, CB_DELETE, result);
}

void cb_delete_owners(const char *path, int64_t count, int rule, cb_result *result) {
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
    for (int64_t i = 0; i + 1 < authors.count && result->code == SQLITE_OK; i += 2) {
        sqlite3_bind_int64(members, 1, authors.items[i]);
        read_pairs(members, &books, result);
    }
    if (rule != 2) delete_authors(connection, &authors, &books, rule, result);
    result->nanoseconds = cb_now() - start;
    cb_finish(members, CB_SELECT, result);
    free(authors.items);
    free(books.items);
    cb_close(connection, result);
}
