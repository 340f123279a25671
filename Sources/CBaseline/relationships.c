// Reads a to-many relationship with one SELECT for each owner, or one for all owners.

#include "internal.h"

#define ALL_AUTHORS "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZNAME FROM ZAUTHOR t0"
#define ONE_BOOK "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0 WHERE t0.Z_PK = ?"

void cb_to_many(const char *path, cb_touch touch, cb_result *result) {
    cb_books books = {0};
    cb_keys authors = {0}, members = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *all = cb_prepare(connection, ALL_AUTHORS, result);
    sqlite3_stmt *of_one = cb_prepare(
        connection, "SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.ZAUTHOR = ?", result);
    sqlite3_stmt *one = cb_prepare(connection, ONE_BOOK, result);
    cb_read_keys(all, &authors, result);
    uint64_t counted = 0;
    for (int64_t i = 0; i < authors.count && result->code == SQLITE_OK; i++) {
        int64_t first = members.count;
        sqlite3_bind_int64(of_one, 1, authors.items[i]);
        cb_read_keys(of_one, &members, result);
        counted += (uint64_t)(members.count - first);
        if (touch == CB_TOUCH_COUNT) continue;
        for (int64_t k = first; k < members.count && result->code == SQLITE_OK; k++) {
            sqlite3_bind_int64(one, 1, members.items[k]);
            cb_read_books(one, &books, result);
        }
    }
    result->checksum = counted + cb_touch_books(&books);
    result->nanoseconds = cb_now() - start;
    cb_finish(all, CB_SELECT, result);
    cb_finish(of_one, CB_SELECT, result);
    cb_finish(one, CB_SELECT, result);
    cb_free_books(&books);
    free(authors.items);
    free(members.items);
    cb_close(connection, result);
}

void cb_prefetch(const char *path, cb_touch touch, cb_result *result) {
    cb_books books = {0};
    cb_keys authors = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *all = cb_prepare(connection, ALL_AUTHORS, result);
    sqlite3_stmt *of_all = cb_prepare(
        connection,
        "SELECT " CB_BOOK_COLUMNS
        " FROM cb_array(?1) a CROSS JOIN ZBOOK t0 ON t0.ZAUTHOR = a.value",
        result);
    cb_read_keys(all, &authors, result);
    if (result->code == SQLITE_OK) cb_bind_keys(of_all, 1, &authors);
    cb_read_books(of_all, &books, result);
    result->checksum = (uint64_t)books.count;
    if (touch == CB_TOUCH_ALL) result->checksum += cb_touch_books(&books);
    result->nanoseconds = cb_now() - start;
    cb_finish(all, CB_SELECT, result);
    cb_finish(of_all, CB_SELECT, result);
    cb_free_books(&books);
    free(authors.items);
    cb_close(connection, result);
}
