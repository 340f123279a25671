// The fetch that is the yardstick.

#include "internal.h"

void cb_full_fetch(const char *path, cb_result *result) {
    cb_books books = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *all = cb_prepare(connection, "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0", result);
    cb_read_books(all, &books, result);
    result->checksum = cb_touch_books(&books);
    result->nanoseconds = cb_now() - start;
    cb_finish(all, CB_SELECT, result);
    cb_free_books(&books);
    cb_close(connection, result);
}
