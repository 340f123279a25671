// Declarations that the files of this module share.

#ifndef CBASELINE_INTERNAL_H
#define CBASELINE_INTERNAL_H

#include "CBaseline.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

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

#endif
