// The yardstick: a fetch in C, whose time shows the speed of the machine. This module also contains
// the parts that the fetch shares with the operations of CBaseline: results with counters,
// connections, statements, and lists of books and keys in memory.

#ifndef CYARDSTICK_H
#define CYARDSTICK_H

#include <stdint.h>

// SQLite's types, so that Swift can import this header without SQLite's own.
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

#define CB_STATEMENTS_MAX 16
#define CB_SQL_MAX 512
#define CB_ERROR_MAX 256

typedef enum {
    CB_SELECT, CB_INSERT, CB_UPDATE, CB_DELETE, CB_BEGIN, CB_COMMIT, CB_OTHER
} cb_kind;

/// An SQL statement and the number of its runs. The text is truncated if it is too long for the
/// field.
typedef struct {
    cb_kind kind;
    int64_t executions;
    char sql[CB_SQL_MAX];
} cb_statement;

/// The counts and times of a run, and the error that ended it, if any.
typedef struct {
    int64_t nanoseconds;
    uint64_t checksum;
    int64_t rows;
    int64_t vm_steps;
    /// For workloads that fetch while another thread writes: the number of fetches, and the median
    /// and the 99th percentile of their times.
    int64_t fetches, median, percentile_99;
    /// Transactions that another thread committed during these fetches.
    int64_t saves;
    int statement_count;
    cb_statement statements[CB_STATEMENTS_MAX];
    /// SQLite's result code; 0 on success.
    int code;
    char error[CB_ERROR_MAX];
} cb_result;

/// The version, the source id and the compile options of the SQLite library in use.
const char *cb_sqlite_version(void);
const char *cb_sqlite_source_id(void);
/// The i-th compile option, or NULL after the last.
const char *cb_sqlite_option(int index);

/// Turns off SQLite's memory accounting, as the engine does. The caller does this before it opens a
/// file. Returns 1, or 0 with the error in `result`.
int cb_keep_no_memory_account(cb_result *result);

/// Creates an empty file in Core Data's schema for authors and books, in WAL mode.
void cb_create(const char *path, cb_result *result);
/// Opens a file, writes once to its write-ahead log, and keeps the file open. The header of the log
/// is then on disk, so the next writer does not wait for the disk. Returns NULL on failure.
void *cb_hold(const char *path);
void cb_let_go(void *held);
/// Drops every index of the database.
void cb_drop_indexes(const char *path, cb_result *result);

/// Runs one SELECT of all books. Every column is read and kept.
void cb_full_fetch(const char *path, cb_result *result);

/// A digest of all authors and books in the file. It covers values, versions and the authors of
/// books, but neither keys nor the order of rows.
void cb_digest(const char *path, cb_result *result);

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

/// Binds a list of keys for the table-valued function `cb_array(pointer)`, which every connection
/// has. The list must outlive the statement's run.
int cb_bind_keys(sqlite3_stmt *statement, int index, const cb_keys *keys);

cb_book *cb_read_book(sqlite3_stmt *statement);
void cb_append_book(cb_books *books, cb_book *book);
void cb_append_key(cb_keys *keys, int64_t key);
void cb_free_books(cb_books *books);
cb_book *cb_copy_book(const cb_book *book);
uint64_t cb_touch_book(const cb_book *book);
uint64_t cb_touch_books(const cb_books *books);
/// Reads all keys that a statement returns.
void cb_read_keys(sqlite3_stmt *statement, cb_keys *keys, cb_result *result);
/// Reads all books that a statement returns.
void cb_read_books(sqlite3_stmt *statement, cb_books *books, cb_result *result);

#endif
