#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>
#include <time.h>

// SQLite as Swift can call it: macros that hold casts, variadic functions, and the table-valued
// function over an array of integers, which has to be written against C callbacks.

// The two destructor constants are casts of integers to function pointers, which Swift does not
// import; a null pointer would bind NULL instead of an empty value.

static inline int csqlite_bind_text_static(
    sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(
        statement, index, bytes ? bytes : "", count, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int csqlite_bind_text_transient(
    sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(
        statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob_static(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

static inline int csqlite_bind_blob_transient(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline void csqlite_result_text(
    sqlite3_context *context, const char *bytes, sqlite3_uint64 count) {
    sqlite3_result_text64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void csqlite_result_blob(
    sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
    sqlite3_result_blob64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

/// Has (1) or no longer has (0) statements refused, when they are compiled, that attach a file or
/// set how and where SQLite keeps files.
void csqlite_judge_statements(sqlite3 *database, int judges);

/// The most bytes of a temporary file of a connection that is opened with `csqlite_guest_files`.
#define CSQLITE_GUEST_BYTES 64000000

/// The name of files whose temporary ones are bounded; null where SQLite has no files.
const char *csqlite_guest_files(void);

/// Has SQLite keep no account of its memory, which threads would wait for at every allocation: one
/// lock guards it for the whole process. Without effect where SQLite is at work already.
void csqlite_keep_no_memory_account(void);

/// Makes "text" in double quotes an identifier and nothing else.
int csqlite_refuse_double_quoted_strings(sqlite3 *database);

/// Whether SQLite opened a file for reading alone that may be written; it does so where opening it
/// for writing failed for another reason, such as that no descriptors were left.
int csqlite_only_reads_what_may_be_written(sqlite3 *database);

/// Sets (0 or 1) or only asks (-1) whether the last connection checkpoints as it closes.
int csqlite_checkpoints_on_close(sqlite3 *database, int setting);

/// Has (1) or no longer has (0) the next VACUUM empty the database, also a damaged one.
int csqlite_reset_on_vacuum(sqlite3 *database, int setting);

enum { CSQLITE_REGULAR_FILE, CSQLITE_FOLDER, CSQLITE_OTHER_FILE };

/// What a path names; symbolic links are followed, nothing is opened.
typedef struct {
    int32_t kind;
    int64_t size;
    uint64_t device;
    uint64_t inode;
} csqlite_file_facts;

/// Returns 0, or the system's error number: `ENOENT` where there is nothing.
int csqlite_look_at_file(const char *path, csqlite_file_facts *facts);

/// Reads how a file begins, at most `capacity` bytes, through SQLite's own file system.
///
/// The system drops all locks of a process on a file as soon as the process closes any descriptor
/// of it. Only SQLite knows whether one of its connections has locks there, so nothing else may
/// open and close what could be a database.
int csqlite_read_start(
    const char *path, void *bytes, int capacity, int *count, int *system_error);

/// Adds the table-valued function `name(array)`, with the columns `value` and `rowid` (from 1).
int csqlite_add_integer_array_function(sqlite3 *database, const char *name);

/// The same as a table of the temporary schema, for a database that is going to be replaced by
/// another (sqlite3_deserialize). A table that exists by its name alone belongs to the schema of
/// `main`, which SQLite then frees; it would be read when a statement next names the table.
int csqlite_add_temporary_integer_array_function(sqlite3 *database, const char *name);

/// Lets go of SQLite's own tables that exist by their names alone, for the same reason, and counts
/// them.
int csqlite_forget_tables_by_name(sqlite3 *database, int *forgottenCount);

/// Binds a copy of an array to a parameter that is the argument of the function above.
int csqlite_bind_integer_array(
    sqlite3_stmt *statement, int index, const int64_t *values, int64_t count);

/// How a packed row keeps the value of a column: as a number, as bytes, or as entity and key.
enum { CSQLITE_INTEGER, CSQLITE_DOUBLE, CSQLITE_BYTES, CSQLITE_REFERENCE };

/// Which column of a SELECT goes to which slot.
typedef struct {
    int32_t column;
    int32_t slot;
    int32_t form;
    /// For a reference: the column with the number of its entity, or -1; and the entity's index
    /// where there is no such column.
    int32_t entity_column;
    int32_t entity;
} csqlite_move;

/// How the rows of one entity are packed.
typedef struct {
    const csqlite_move *moves;
    int32_t move_count;
    int32_t slot_count;
} csqlite_row_shape;

/// How the rows of a SELECT are packed. Its first columns are the number of the entity, the key and
/// the version.
typedef struct {
    /// By the index of the entity, from the first on; the number counts only if there are several.
    const csqlite_row_shape *shapes;
    int32_t shape_count;
    int32_t first_entity;
    /// The index of an entity by its number in the file, -1 where there is none.
    const int32_t *entities;
    int32_t entity_count;
} csqlite_row_plan;

/// Memory that rows are packed into again and again; begin with zeros.
typedef struct {
    uint8_t *bytes;
    int64_t capacity;
    int64_t used;
    /// Where each row's first word is, and what the tag column held.
    int32_t *offsets;
    int64_t *tags;
    int32_t count;
    int32_t limit;
} csqlite_row_buffer;

/// Steps and packs rows into the emptied buffer, at most `limit` of them.
///
/// Returns SQLITE_ROW where there may be more, SQLITE_DONE at the end, or an error.
int csqlite_pack_rows(
    sqlite3_stmt *statement, const csqlite_row_plan *plan, int tag_column, int32_t limit,
    csqlite_row_buffer *rows);

/// Frees what a buffer has.
void csqlite_free_rows(csqlite_row_buffer *rows);

/// Steps and reads columns that stand side by side, one row after the other; the result is as
/// above.
int csqlite_read_integers(
    sqlite3_stmt *statement, int column, int width, int64_t *values, int32_t limit,
    int32_t *count);

/// What a column of a row is set to.
enum {
    CSQLITE_RUN_NULL, CSQLITE_RUN_INTEGER, CSQLITE_RUN_DOUBLE, CSQLITE_RUN_TEXT, CSQLITE_RUN_BLOB
};

/// A value of a row; of a text or a blob `integer` is the length.
typedef struct {
    int32_t form;
    int64_t integer;
    double real;
    const void *bytes;
} csqlite_run_value;

/// The values of rows whose keys follow each other: `width` for each row, one row after the other.
/// A run without rows has a last key below its first one.
typedef struct {
    int64_t first_key;
    int64_t last_key;
    int32_t width;
    const csqlite_run_value *values;
} csqlite_run;

/// Adds the scalar function `name(key, place)`, which looks into a run that lives as long as the
/// database is open. Statements of a schema cannot call it.
int csqlite_add_run_function(sqlite3 *database, const char *name, const csqlite_run *run);

/// Nanoseconds of the monotonic clock.
static inline uint64_t csqlite_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#endif
