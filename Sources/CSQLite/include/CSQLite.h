#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>
#include <time.h>

// The parts of SQLite that Swift cannot use directly: macros with casts, variadic functions, and a
// table-valued function, which needs C callbacks.

// Swift does not import the two destructor constants, which are integers cast to function pointers.
// A null pointer would bind NULL instead of an empty value.

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

/// Turns a restriction on (1) or off (0). While it is on, SQLite compiles no statement that
/// attaches a file, or that changes where and how it stores files.
void csqlite_judge_statements(sqlite3 *database, int judges);

/// The maximum size of a temporary file of a connection opened with `csqlite_guest_files`, in
/// bytes.
#define CSQLITE_GUEST_BYTES 64000000

/// The name of the SQLite file system that limits its temporary files; null if SQLite has no file
/// system.
const char *csqlite_guest_files(void);

/// Stops SQLite's memory statistics, whose process-wide lock would delay threads at every
/// allocation. Has no effect if SQLite is already initialized.
void csqlite_keep_no_memory_account(void);

/// Lets SQLite read text in double quotes only as an identifier, never as a string.
int csqlite_refuse_double_quoted_strings(sqlite3 *database);

/// Whether SQLite opened a file read-only although its permissions allow writing. SQLite does so if
/// opening it for writing failed, for example for lack of descriptors.
int csqlite_only_reads_what_may_be_written(sqlite3 *database);

/// Sets whether the last connection runs a checkpoint when it closes (0 or 1). With -1, only
/// returns the setting.
int csqlite_checkpoints_on_close(sqlite3 *database, int setting);

/// Sets whether the next VACUUM empties the database (1) or not (0), even a damaged one.
int csqlite_reset_on_vacuum(sqlite3 *database, int setting);

enum { CSQLITE_REGULAR_FILE, CSQLITE_FOLDER, CSQLITE_OTHER_FILE };

/// The file at a path. Symbolic links are followed, and nothing is opened.
typedef struct {
    int32_t kind;
    int64_t size;
    uint64_t device;
    uint64_t inode;
} csqlite_file_facts;

/// Returns 0, or the system's error number: `ENOENT` if the file does not exist.
int csqlite_look_at_file(const char *path, csqlite_file_facts *facts);

/// Reads the start of a file, at most `capacity` bytes, through SQLite's own file system.
///
/// When a process closes any descriptor of a file, the system drops all locks of the process on it.
/// Only SQLite knows whether a connection has locked the file, so no other code may open and close
/// a file that could be a database.
int csqlite_read_start(
    const char *path, void *bytes, int capacity, int *count, int *system_error);

/// Adds the table-valued function `name(array)`, with the columns `value` and `rowid` (from 1).
int csqlite_add_integer_array_function(sqlite3 *database, const char *name);

/// Adds the same function as a table of the temporary schema, for a database that will be replaced
/// (sqlite3_deserialize). Replacing frees the schema of `main`, to which the eponymous table
/// belongs, so a later statement would read freed memory.
int csqlite_add_temporary_integer_array_function(sqlite3 *database, const char *name);

/// Removes SQLite's built-in eponymous tables, which would also refer to the freed schema. Stores
/// their number in `forgottenCount`.
int csqlite_forget_tables_by_name(sqlite3 *database, int *forgottenCount);

/// Binds a copy of an array to a parameter that is the argument of such a function.
int csqlite_bind_integer_array(
    sqlite3_stmt *statement, int index, const int64_t *values, int64_t count);

/// The form of a value in a packed row: a number, bytes, or a reference to an object (an entity and
/// a key).
enum { CSQLITE_INTEGER, CSQLITE_DOUBLE, CSQLITE_BYTES, CSQLITE_REFERENCE };

/// Maps a column of a SELECT to a slot of the packed row.
typedef struct {
    int32_t column;
    int32_t slot;
    int32_t form;
    /// For a reference: the column with the destination's entity, as its number in the file. If it
    /// is -1, `entity` is the index of the destination's entity.
    int32_t entity_column;
    int32_t entity;
} csqlite_move;

/// Describes how the rows of one entity are packed.
typedef struct {
    const csqlite_move *moves;
    int32_t move_count;
    int32_t slot_count;
} csqlite_row_shape;

/// Describes how the rows of a SELECT are packed, whose first columns are the entity's number, the
/// key and the version.
typedef struct {
    /// One shape for each entity, in the order of their indexes from `first_entity` on. With a
    /// single shape, the entity's number in the row is ignored.
    const csqlite_row_shape *shapes;
    int32_t shape_count;
    int32_t first_entity;
    /// The index of an entity by its number in the file, -1 if it is unknown.
    const int32_t *entities;
    int32_t entity_count;
} csqlite_row_plan;

/// Reusable memory for packed rows; initialize it with zeros.
typedef struct {
    uint8_t *bytes;
    int64_t capacity;
    int64_t used;
    /// The offset of each row's first word, and the values of the tag column.
    int32_t *offsets;
    int64_t *tags;
    int32_t count;
    int32_t limit;
} csqlite_row_buffer;

/// Steps a statement and packs its rows into the emptied buffer, at most `limit` of them.
///
/// Returns SQLITE_ROW if more rows may follow, SQLITE_DONE at the end, or an error.
int csqlite_pack_rows(
    sqlite3_stmt *statement, const csqlite_row_plan *plan, int tag_column, int32_t limit,
    csqlite_row_buffer *rows);

void csqlite_free_rows(csqlite_row_buffer *rows);

/// Steps and reads adjacent columns, row by row; returns the same codes as `csqlite_pack_rows`.
int csqlite_read_integers(
    sqlite3_stmt *statement, int column, int width, int64_t *values, int32_t limit,
    int32_t *count);

/// The type of a value in a `csqlite_run`.
enum {
    CSQLITE_RUN_NULL, CSQLITE_RUN_INTEGER, CSQLITE_RUN_DOUBLE, CSQLITE_RUN_TEXT, CSQLITE_RUN_BLOB
};

/// A value of a row. For a text or a blob, `integer` is the length in bytes.
typedef struct {
    int32_t form;
    int64_t integer;
    double real;
    const void *bytes;
} csqlite_run_value;

/// The values of rows with consecutive keys, row by row, with `width` values each. In an empty run,
/// the last key is less than the first.
typedef struct {
    int64_t first_key;
    int64_t last_key;
    int32_t width;
    const csqlite_run_value *values;
} csqlite_run;

/// Adds the scalar function `name(key, place)`, which returns the value at the position `place` of
/// the row with the key. The run must stay valid as long as the database is open. Triggers and
/// views in the schema cannot call the function.
int csqlite_add_run_function(sqlite3 *database, const char *name, const csqlite_run *run);

/// Nanoseconds of the monotonic clock.
static inline uint64_t csqlite_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#endif
