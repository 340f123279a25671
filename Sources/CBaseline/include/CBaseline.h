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

/// Makes an empty file in Core Data's schema for authors and books, in WAL mode.
void cb_create(const char *path, cb_result *result);
/// Inserts all rows in one transaction, one row to a statement.
void cb_insert(const char *path, const cb_dataset *dataset, cb_result *result);

/// One SELECT of all books; every column is read and kept.
void cb_full_fetch(const char *path, cb_result *result);
/// One SELECT of all keys, then one SELECT for each book.
void cb_faults(const char *path, cb_result *result);
/// One SELECT of all keys, then one for each `size` of them.
void cb_batches(
    const char *path, int64_t size, cb_batch_statement statement, cb_result *result);
/// One SELECT of all authors, one for each author's keys of books, and for `CB_TOUCH_ALL` one for
/// each book.
void cb_to_many(const char *path, cb_touch touch, cb_result *result);
/// One SELECT of all authors, one of all their books.
void cb_prefetch(const char *path, cb_touch touch, cb_result *result);

/// Adds a page to each of the first `count` books under a version check, in one transaction.
void cb_update(const char *path, int64_t count, cb_result *result);
/// Deletes the first `count` authors with their books under a version check, in one transaction.
void cb_cascade_delete(const char *path, int64_t count, cb_result *result);

/// A digest of all authors and books in the file: values, versions and who wrote which book, but
/// neither keys nor the order of rows.
void cb_digest(const char *path, cb_result *result);

#endif
