// The bench's workloads in C, directly against SQLite: the floor that the engine is compared with.
//
// Each function opens the file, does the work that its engine twin does with the statements that
// its engine twin needs, keeps what it read in memory as an object would, and closes the file.
// Only the work is timed. LabBench calls these functions, nobody else does.

#ifndef CBASELINE_H
#define CBASELINE_H

#include <stdint.h>

#define CB_STATEMENTS_MAX 16
#define CB_SQL_MAX 512
#define CB_ERROR_MAX 256

typedef enum {
    CB_SELECT, CB_INSERT, CB_UPDATE, CB_DELETE, CB_BEGIN, CB_COMMIT, CB_OTHER
} cb_kind;

/// One statement text and how often it ran. A text that is too long for the field is cut.
typedef struct {
    cb_kind kind;
    int64_t executions;
    char sql[CB_SQL_MAX];
} cb_statement;

/// What a run did, how long it took, and the error that ended it, if one did.
typedef struct {
    int64_t nanoseconds;
    uint64_t checksum;
    int64_t rows;
    int64_t vm_steps;
    /// Of workloads that fetch again and again beside a writer: how often, and how long one took.
    int64_t fetches, median, percentile_99;
    /// Transactions that another thread committed meanwhile.
    int64_t saves;
    int statement_count;
    cb_statement statements[CB_STATEMENTS_MAX];
    /// SQLite's result code; 0 when all went well.
    int code;
    char error[CB_ERROR_MAX];
} cb_result;

/// Rows to insert, in the order of their keys. Texts lie end to end, each ending where the next
/// one starts.
typedef struct {
    int64_t authors;
    int64_t books_per_author;
    const char *names;
    const int64_t *name_offsets;
    const char *titles;
    const int64_t *title_offsets;
    const int64_t *years;
    const int64_t *pages;
    const int64_t *copies;
} cb_dataset;

/// How far reading a to-many relationship goes.
typedef enum { CB_TOUCH_COUNT, CB_TOUCH_ALL } cb_touch;

/// How a batch of rows is asked for.
typedef enum { CB_IN_LIST, CB_ARRAY_JOIN } cb_batch_statement;

/// The version, the source id and the compile options of the SQLite library that runs.
const char *cb_sqlite_version(void);
const char *cb_sqlite_source_id(void);
/// The i-th compile option, or NULL behind the last.
const char *cb_sqlite_option(int index);

/// Has SQLite keep no account of its memory, as the engine does. Before anything is opened.
/// Returns 1, or 0 with the error in `result`.
int cb_keep_no_memory_account(cb_result *result);

/// Makes an empty file in Core Data's schema for authors and books, in WAL mode.
void cb_create(const char *path, cb_result *result);
/// Opens a file, writes to its log once and stays open, so that whoever writes next finds a log
/// whose header is on the disk: the wait for that disk is no work of anybody's. NULL if it fails.
void *cb_hold(const char *path);
void cb_let_go(void *held);
/// Takes every index out of a file.
void cb_drop_indexes(const char *path, cb_result *result);
/// Inserts all rows, one row to a statement, in one transaction or one for every `chunk` books.
void cb_insert(const char *path, const cb_dataset *dataset, int64_t chunk, cb_result *result);

/// One SELECT of all books; every column is read and kept.
void cb_full_fetch(const char *path, cb_result *result);
/// A rung of the ladder: 0 and 1 keys, 2 rows kept, 3 rows kept and read, 4 their authors as well.
void cb_rung(const char *path, int rung, cb_result *result);
/// One SELECT of all keys (before the clock runs, if `known`), then one SELECT for each book;
/// inside one read transaction if `pinned`.
void cb_faults(const char *path, int pinned, int known, cb_result *result);
/// A copy of each book from a table in memory, after one SELECT of all keys if `selects`.
void cb_cached(const char *path, int selects, cb_result *result);
/// One SELECT of all keys, then one for each `size` of them.
void cb_batches(
    const char *path, int64_t size, cb_batch_statement statement, cb_result *result);
/// One SELECT of all authors, one for each author's keys of books, and for `CB_TOUCH_ALL` one for
/// each book.
void cb_to_many(const char *path, cb_touch touch, cb_result *result);
/// One SELECT of all authors, one of all their books.
void cb_prefetch(const char *path, cb_touch touch, cb_result *result);
/// Two columns of all books, or number and sum of pages for each year.
void cb_dictionary(const char *path, int grouped, cb_result *result);
/// The number of books with more than `pages` pages.
void cb_count(const char *path, int64_t pages, cb_result *result);
/// Opens the file and reads the first `limit` books; opening is timed as well.
void cb_open_and_fetch(const char *path, int64_t limit, cb_result *result);

/// Shops, their shelves and items: key by key (0), shelves in one SELECT (1), items too (2).
void cb_two_levels(const char *path, int depth, cb_result *result);
/// Items and their tags, item by item or in one SELECT.
void cb_many_to_many(const char *path, int prefetches, cb_result *result);
/// Shelves and their items in order, shelf by shelf or in one SELECT.
void cb_ordered(const char *path, int prefetches, cb_result *result);

/// Adds a page to each of the first `count` books under a version check, in one transaction.
void cb_update(const char *path, int64_t count, cb_result *result);
/// Reads each of the first `count` books in memory (if `reads`) and adds a page to it, `rounds`
/// times; then writes them under a version check, in one transaction.
void cb_access(const char *path, int64_t count, int64_t rounds, int reads, cb_result *result);
/// Adds two pages to each of the first `count` books, which somebody else has changed: the error
/// policy (0), which reads each conflict and writes nothing, the store's values (1), the object's
/// (2), overwriting (3), rolling back (4).
void cb_conflict(const char *path, int64_t count, int policy, cb_result *result);
/// Reads again `count` books that somebody else has changed.
void cb_merge(const char *path, int64_t count, cb_result *result);
/// Deletes the first `count` authors under a version check, in one transaction: with their books
/// (0), leaving the books without author (1), or not at all because of them (2).
void cb_delete_owners(const char *path, int64_t count, int rule, cb_result *result);

/// `readers` threads read all books `fetches` times, each on a connection of its own.
void cb_parallel(const char *path, int readers, int64_t fetches, cb_result *result);
/// One thread reads all books `fetches` times, beside another that begins a save every so many
/// nanoseconds: 0 for one after the other, -1 for no such thread.
void cb_beside(const char *path, int64_t interval, int64_t fetches, cb_result *result);
/// `writers` threads save `rows` books of their own `saves` times, one thread at a time, while
/// `fetchers` threads fetch 50 books again and again.
void cb_crowd(
    const char *path, int writers, int fetchers, int64_t saves, int64_t rows, cb_result *result);
/// Inserts `count` papers with a value of `size` bytes and reads them again: in a column (0, 1),
/// counted by their folders' triggers (2), in files of their own (3).
void cb_values(const char *path, int kind, int64_t count, int64_t size, cb_result *result);
/// One thread inserts all rows in chunks while another fetches 50 books again and again.
void cb_import(const char *path, const cb_dataset *dataset, int64_t chunk, cb_result *result);

/// A digest of all authors and books in the file: values, versions and who wrote which book, but
/// neither keys nor the order of rows.
void cb_digest(const char *path, cb_result *result);

#endif
