// Workloads that read with one or two statements: fetches that do more and more work, fetches of
// dictionaries, counts, and the first fetch of a new process.

#include "internal.h"

#define ALL_BOOKS "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0"

static void read_ids(const char *path, cb_result *result) {
    cb_keys keys = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *all = cb_prepare(connection, "SELECT t0.Z_PK FROM ZBOOK t0", result);
    cb_read_keys(all, &keys, result);
    result->checksum = (uint64_t)keys.count;
    result->nanoseconds = cb_now() - start;
    cb_finish(all, CB_SELECT, result);
    free(keys.items);
    cb_close(connection, result);
}

// Reads the length of each author's name, by the author's key.
static void read_names(sqlite3_stmt *statement, int *lengths, int64_t count, cb_result *result) {
    if (result->code != SQLITE_OK) return;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t key = sqlite3_column_int64(statement, 0);
        const unsigned char *name = sqlite3_column_text(statement, 1);
        int length = sqlite3_column_bytes(statement, 1);
        char *kept = malloc((size_t)length + 1);
        if (kept && name) memcpy(kept, name, (size_t)length + 1);
        if (key < count) lengths[key] = length;
        free(kept);
        result->rows++;
    }
    if (code != SQLITE_DONE) cb_fail(sqlite3_db_handle(statement), code, result);
}

static void read_with_authors(const char *path, cb_result *result) {
    cb_books books = {0};
    cb_keys authors = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *all = cb_prepare(connection, ALL_BOOKS, result);
    sqlite3_stmt *names = cb_prepare(
        connection,
        "SELECT t0.Z_PK, t0.ZNAME FROM cb_array(?1) a CROSS JOIN ZAUTHOR t0 ON t0.Z_PK = a.value",
        result);
    cb_read_books(all, &books, result);
    int64_t most = 0;
    for (int64_t i = 0; i < books.count; i++) {
        if (books.items[i]->author > most) most = books.items[i]->author;
    }
    int *lengths = calloc((size_t)most + 1, sizeof *lengths);
    if (!lengths) abort();
    for (int64_t i = 0; i < books.count; i++) {
        int64_t author = books.items[i]->author;
        if (lengths[author] == 0) cb_append_key(&authors, author);
        lengths[author] = 1;
    }
    if (result->code == SQLITE_OK) cb_bind_keys(names, 1, &authors);
    read_names(names, lengths, most + 1, result);
    for (int64_t i = 0; i < books.count; i++) {
        result->checksum += (uint64_t)lengths[books.items[i]->author] * 19;
    }
    result->checksum += cb_touch_books(&books);
    result->nanoseconds = cb_now() - start;
    cb_finish(all, CB_SELECT, result);
    cb_finish(names, CB_SELECT, result);
    free(lengths);
    free(authors.items);
    cb_free_books(&books);
    cb_close(connection, result);
}

static void read_values(const char *path, cb_result *result) {
    cb_books books = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *all = cb_prepare(connection, ALL_BOOKS, result);
    cb_read_books(all, &books, result);
    result->checksum = (uint64_t)books.count;
    result->nanoseconds = cb_now() - start;
    cb_finish(all, CB_SELECT, result);
    cb_free_books(&books);
    cb_close(connection, result);
}

void cb_rung(const char *path, int rung, cb_result *result) {
    switch (rung) {
    case 0: case 1: read_ids(path, result); break;
    case 2: read_values(path, result); break;
    case 3: cb_full_fetch(path, result); break;
    default: read_with_authors(path, result);
    }
}

// A row of two columns as a program without an ORM would store it in memory.
typedef struct {
    int64_t pages;
    int length;
    char title[];
} pair;

static pair *read_pair(sqlite3_stmt *statement) {
    int length = sqlite3_column_bytes(statement, 0);
    pair *made = malloc(sizeof *made + (size_t)length + 1);
    if (!made) abort();
    made->length = length;
    if (length > 0) memcpy(made->title, sqlite3_column_text(statement, 0), (size_t)length);
    made->title[length] = 0;
    made->pages = sqlite3_column_int64(statement, 1);
    return made;
}

static void read_pairs(sqlite3_stmt *statement, cb_keys *kept, cb_result *result) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        pair *row = read_pair(statement);
        cb_append_key(kept, (int64_t)(intptr_t)row);
        result->rows++;
    }
    if (code != SQLITE_DONE) cb_fail(sqlite3_db_handle(statement), code, result);
    for (int64_t i = 0; i < kept->count; i++) {
        const pair *row = (const pair *)(intptr_t)kept->items[i];
        result->checksum += (uint64_t)row->pages * 5 + (uint64_t)row->length * 11;
    }
}

static void read_groups(sqlite3_stmt *statement, cb_result *result) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        uint64_t sum = (uint64_t)sqlite3_column_int64(statement, 0) * 3;
        sum += (uint64_t)sqlite3_column_int64(statement, 1) * 5;
        result->checksum += sum + (uint64_t)sqlite3_column_int64(statement, 2);
        result->rows++;
    }
    if (code != SQLITE_DONE) cb_fail(sqlite3_db_handle(statement), code, result);
}

void cb_dictionary(const char *path, int grouped, cb_result *result) {
    cb_keys kept = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *statement = cb_prepare(
        connection,
        grouped ? "SELECT t0.ZYEAR, COUNT(t0.ZPAGES), SUM(t0.ZPAGES) FROM ZBOOK t0 "
                  "GROUP BY t0.ZYEAR"
                : "SELECT t0.ZTITLE, t0.ZPAGES FROM ZBOOK t0",
        result);
    if (statement && grouped) read_groups(statement, result);
    if (statement && !grouped) read_pairs(statement, &kept, result);
    result->nanoseconds = cb_now() - start;
    cb_finish(statement, CB_SELECT, result);
    for (int64_t i = 0; i < kept.count; i++) free((void *)(intptr_t)kept.items[i]);
    free(kept.items);
    cb_close(connection, result);
}

void cb_count(const char *path, int64_t pages, cb_result *result) {
    cb_keys count = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *statement = cb_prepare(
        connection, "SELECT COUNT(*) FROM ZBOOK t0 WHERE t0.ZPAGES > ?", result);
    if (statement) sqlite3_bind_int64(statement, 1, pages);
    cb_read_keys(statement, &count, result);
    result->checksum = count.count > 0 ? (uint64_t)count.items[0] : 0;
    result->nanoseconds = cb_now() - start;
    cb_finish(statement, CB_SELECT, result);
    free(count.items);
    cb_close(connection, result);
}

void cb_open_and_fetch(const char *path, int64_t limit, cb_result *result) {
    cb_books books = {0};
    int64_t start = cb_now();
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    sqlite3_stmt *first = cb_prepare(connection, ALL_BOOKS " LIMIT ?", result);
    if (first) sqlite3_bind_int64(first, 1, limit);
    cb_read_books(first, &books, result);
    result->checksum = cb_touch_books(&books);
    result->nanoseconds = cb_now() - start;
    cb_finish(first, CB_SELECT, result);
    cb_free_books(&books);
    cb_close(connection, result);
}
