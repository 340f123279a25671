// Lists of books and keys in memory. Each book has a separate allocation, as in a program without
// an ORM.

#include "internal.h"

cb_book *cb_read_book(sqlite3_stmt *statement) {
    int length = sqlite3_column_bytes(statement, 7);
    const unsigned char *title = sqlite3_column_text(statement, 7);
    cb_book *book = malloc(sizeof *book + (size_t)length + 1);
    if (!book) return NULL;
    book->key = sqlite3_column_int64(statement, 1);
    book->version = sqlite3_column_int64(statement, 2);
    book->copies = sqlite3_column_int64(statement, 3);
    book->pages = sqlite3_column_int64(statement, 4);
    book->year = sqlite3_column_int64(statement, 5);
    book->author = sqlite3_column_int64(statement, 6);
    book->title_length = length;
    if (length > 0) memcpy(book->title, title, (size_t)length);
    book->title[length] = 0;
    return book;
}

cb_book *cb_copy_book(const cb_book *book) {
    size_t size = sizeof *book + (size_t)book->title_length + 1;
    cb_book *copy = malloc(size);
    if (!copy) abort();
    memcpy(copy, book, size);
    return copy;
}

// Doubles the capacity of a full list. If the allocation fails, the program ends, because it cannot
// measure.
static void *grown(void *items, int64_t count, int64_t *capacity, size_t size) {
    if (count < *capacity) return items;
    *capacity = *capacity ? *capacity * 2 : 256;
    void *larger = realloc(items, (size_t)*capacity * size);
    if (!larger) abort();
    return larger;
}

void cb_append_book(cb_books *books, cb_book *book) {
    books->items = grown(books->items, books->count, &books->capacity, sizeof *books->items);
    books->items[books->count++] = book;
}

void cb_append_key(cb_keys *keys, int64_t key) {
    keys->items = grown(keys->items, keys->count, &keys->capacity, sizeof *keys->items);
    keys->items[keys->count++] = key;
}

void cb_free_books(cb_books *books) {
    for (int64_t i = 0; i < books->count; i++) free(books->items[i]);
    free(books->items);
}

// A checksum of a book, which the engine's benchmark computes too. Each column has a different
// factor, so that exchanging two columns changes the checksum.
uint64_t cb_touch_book(const cb_book *book) {
    uint64_t sum = (uint64_t)book->year * 3 + (uint64_t)book->pages * 5;
    sum += (uint64_t)book->copies * 7 + (uint64_t)book->title_length * 11;
    sum += (uint64_t)(unsigned char)book->title[0] * 13;
    return sum + (book->author != 0 ? 17 : 0);
}

uint64_t cb_touch_books(const cb_books *books) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < books->count; i++) sum += cb_touch_book(books->items[i]);
    return sum;
}

void cb_read_keys(sqlite3_stmt *statement, cb_keys *keys, cb_result *result) {
    if (result->code != SQLITE_OK) return;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        cb_append_key(keys, sqlite3_column_int64(statement, 0));
        result->rows++;
    }
    if (code != SQLITE_DONE) cb_fail(sqlite3_db_handle(statement), code, result);
    sqlite3_reset(statement);
}

void cb_read_books(sqlite3_stmt *statement, cb_books *books, cb_result *result) {
    if (result->code != SQLITE_OK) return;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        cb_book *book = cb_read_book(statement);
        if (!book) {
            cb_fail_text(SQLITE_NOMEM, "out of memory", result);
            break;
        }
        cb_append_book(books, book);
        result->rows++;
    }
    if (code != SQLITE_DONE) cb_fail(sqlite3_db_handle(statement), code, result);
    sqlite3_reset(statement);
}
