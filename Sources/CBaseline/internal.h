// Declarations that the files of this module share.

#ifndef CBASELINE_INTERNAL_H
#define CBASELINE_INTERNAL_H

#include "CBaseline.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/// A row of ZBOOK as a program without an ORM would keep it in memory. The title follows the
/// struct.
typedef struct {
    int64_t key, version, year, pages, copies, author;
    int title_length;
    char title[];
} cb_book;

typedef struct {
    cb_book **items;
    int64_t count, capacity;
} cb_books;

typedef struct {
    int64_t *items;
    int64_t count, capacity;
} cb_keys;

/// The columns of a book, in the order in which `cb_read_book` reads them.
#define CB_BOOK_COLUMNS \
    "t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZCOPIES, t0.ZPAGES, t0.ZYEAR, t0.ZAUTHOR, t0.ZTITLE"

sqlite3 *cb_open(const char *path, int flags, cb_result *result);
void cb_close(sqlite3 *connection, cb_result *result);
/// Prepares a statement that runs often. Returns NULL if this fails or an earlier step failed.
sqlite3_stmt *cb_prepare(sqlite3 *connection, const char *sql, cb_result *result);
/// Adds the statement's counts to the result and finalizes it.
void cb_finish(sqlite3_stmt *statement, cb_kind kind, cb_result *result);
/// Steps a statement that returns no rows, and resets it.
void cb_step_done(sqlite3_stmt *statement, cb_result *result);
/// Prepares, runs and finishes a statement that returns no rows.
void cb_run(sqlite3 *connection, const char *sql, cb_kind kind, cb_result *result);
void cb_fail(sqlite3 *connection, int code, cb_result *result);
void cb_fail_text(int code, const char *text, cb_result *result);
int64_t cb_now(void);

/// Registers the table-valued function `cb_array(pointer)` on a connection.
int cb_register_array(sqlite3 *connection);
/// Binds a list of keys for `cb_array`. The list must outlive the statement's run.
int cb_bind_keys(sqlite3_stmt *statement, int index, const cb_keys *keys);

cb_book *cb_read_book(sqlite3_stmt *statement);
void cb_append_book(cb_books *books, cb_book *book);
void cb_append_key(cb_keys *keys, int64_t key);
void cb_free_books(cb_books *books);
cb_book *cb_copy_book(const cb_book *book);
uint64_t cb_touch_book(const cb_book *book);
uint64_t cb_touch_books(const cb_books *books);
/// Inserts the rows of a dataset, with keys above the existing ones. Each transaction inserts
/// `chunk` books; if `chunk` is 0, one transaction inserts all.
void cb_insert_rows(
    sqlite3 *connection, const cb_dataset *data, int64_t chunk, cb_result *result);
/// Runs a statement that must change exactly one row. Fails if another writer has changed the row's
/// version.
void cb_change_one(sqlite3 *connection, sqlite3_stmt *statement, cb_result *result);
/// Writes a book's pages and version, if it still has the version that was read.
#define CB_SAVE_PAGES "UPDATE ZBOOK SET ZPAGES = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?"
/// Adds a page to each book, in one transaction, with the statement `CB_SAVE_PAGES`.
void cb_add_pages(
    sqlite3 *connection, sqlite3_stmt *update, cb_books *books, cb_result *result);
/// Reads all keys that a statement returns.
void cb_read_keys(sqlite3_stmt *statement, cb_keys *keys, cb_result *result);
/// Reads all books that a statement returns.
void cb_read_books(sqlite3_stmt *statement, cb_books *books, cb_result *result);

#endif
