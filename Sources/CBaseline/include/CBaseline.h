// The built-in operations of the bench in C, which call SQLite directly. Their times are the lower
// bound for the engine's times.
//
// Each function opens the file, does the work of one of the engine's workloads with the statements
// that this work needs, keeps the values in memory as objects would, and closes the file. Only the
// work is timed. Only BenchOperations calls these functions.

#ifndef CBASELINE_H
#define CBASELINE_H

#include <stdint.h>

#include "CYardstick.h"

/// Rows to insert, in the order of their keys. Texts are consecutive: each ends where the next one
/// starts.
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

/// Whether a workload only counts the members of a to-many relationship, or also reads their rows.
typedef enum { CB_TOUCH_COUNT, CB_TOUCH_ALL } cb_touch;

/// Whether the SELECT for a batch of rows has an IN list, or joins the table-valued function
/// `cb_array`.
typedef enum { CB_IN_LIST, CB_ARRAY_JOIN } cb_batch_statement;

/// Inserts all rows, one row per statement. It uses one transaction, or one for every `chunk`
/// books.
void cb_insert(const char *path, const cb_dataset *dataset, int64_t chunk, cb_result *result);

/// Runs one of five fetches. Each does more work than the previous one: 0 and 1 read keys, 2 reads
/// rows, 3 also uses their values, 4 also reads authors.
void cb_rung(const char *path, int rung, cb_result *result);
/// Runs one SELECT of all keys (before the clock starts, if `known`), and then one SELECT for each
/// book. If `pinned`, all are in one read transaction.
void cb_faults(const char *path, int pinned, int known, cb_result *result);
/// Copies each book from a table in memory. If `selects`, one SELECT of all keys comes first.
void cb_cached(const char *path, int selects, cb_result *result);
/// Runs one SELECT of all keys, then one SELECT for each batch of `size` keys.
void cb_batches(
    const char *path, int64_t size, cb_batch_statement statement, cb_result *result);
/// Runs one SELECT of all authors, and one SELECT for the keys of each author's books. With
/// `CB_TOUCH_ALL`, also runs one SELECT for each book.
void cb_to_many(const char *path, cb_touch touch, cb_result *result);
/// Runs one SELECT of all authors, and one of all their books.
void cb_prefetch(const char *path, cb_touch touch, cb_result *result);
/// Reads two columns of all books, or the number and sum of pages for each year.
void cb_dictionary(const char *path, int grouped, cb_result *result);
/// Counts the books with more than `pages` pages.
void cb_count(const char *path, int64_t pages, cb_result *result);
/// Opens the file and reads the first `limit` books. The time includes opening.
void cb_open_and_fetch(const char *path, int64_t limit, cb_result *result);

/// Reads shops, their shelves and their items. `depth` is the number of prefetched levels. With 0,
/// each row is read by its key. With 1, one SELECT reads all shelves. With 2, another SELECT reads
/// all items.
void cb_two_levels(const char *path, int depth, cb_result *result);
/// Reads items and their tags, item by item or in one SELECT.
void cb_many_to_many(const char *path, int prefetches, cb_result *result);
/// Reads shelves and their items in order, shelf by shelf or in one SELECT.
void cb_ordered(const char *path, int prefetches, cb_result *result);

/// Adds a page to each of the first `count` books, with a version check and in one transaction.
void cb_update(const char *path, int64_t count, cb_result *result);
/// Reads each of the first `count` books in memory (if `reads`) and adds a page to it, `rounds`
/// times. Then writes the books with a version check, in one transaction.
void cb_access(const char *path, int64_t count, int64_t rounds, int reads, cb_result *result);
/// Adds two pages to each of the first `count` books, which another writer has changed. The
/// policies are error (0), the store's values (1), the object's values (2), overwrite (3) and
/// rollback (4). With error, each conflict is read and nothing is written.
void cb_conflict(const char *path, int64_t count, int policy, cb_result *result);
/// Reads `count` books again after another writer has changed them.
void cb_merge(const char *path, int64_t count, cb_result *result);
/// Deletes the first `count` authors with a version check, in one transaction. With `rule` 0, their
/// books are deleted too. With 1, their books lose the author. With 2, every deletion is refused,
/// because the authors have books.
void cb_delete_owners(const char *path, int64_t count, int rule, cb_result *result);

/// `readers` threads read all books `fetches` times, each on its own connection.
void cb_parallel(const char *path, int readers, int64_t fetches, cb_result *result);
/// One thread reads all books `fetches` times, while another thread begins a save every `interval`
/// nanoseconds. With 0, it saves without pauses. With -1, there are no saves.
void cb_beside(const char *path, int64_t interval, int64_t fetches, cb_result *result);
/// `writers` threads change and save `rows` books each, `saves` times, one thread at a time.
/// Meanwhile `fetchers` threads repeatedly fetch 50 books.
void cb_crowd(
    const char *path, int writers, int fetchers, int64_t saves, int64_t rows, cb_result *result);
/// Inserts `count` papers and reads the results. With 0 and 1, each paper has a value of `size`
/// bytes in a column. With 3, the value is in a separate file. With 2, papers have no such value,
/// and triggers count the papers of each folder.
void cb_values(const char *path, int kind, int64_t count, int64_t size, cb_result *result);
/// One thread inserts all rows in chunks, while another thread repeatedly fetches 50 books.
void cb_import(const char *path, const cb_dataset *dataset, int64_t chunk, cb_result *result);

#endif
