#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

// Only pointers that are never null are annotated; Swift imports the others as optional.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

// The functions of libpq that the client uses. The library is loaded at run time, so that a program
// without such a store needs neither the library nor its headers.

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;

/// A notification, which `PQfreemem` frees. The layout is a part of libpq's interface.
typedef struct pgNotify {
    char *relname;
    int be_pid;
    char *extra;
    struct pgNotify *next;
} PGnotify;

/// A connection option, whose layout is a part of libpq's interface.
typedef struct {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} PQconninfoOption;

typedef void (*PQnoticeReceiver)(void *context, const PGresult *notice);

// Numbers of libpq's interface.
#define CONNECTION_OK 0
#define CONNECTION_BAD 1
#define PGRES_POLLING_FAILED 0
#define PGRES_POLLING_READING 1
#define PGRES_POLLING_WRITING 2
#define PGRES_POLLING_OK 3
#define PGRES_EMPTY_QUERY 0
#define PGRES_COMMAND_OK 1
#define PGRES_TUPLES_OK 2
#define PGRES_COPY_OUT 3
#define PGRES_COPY_IN 4
#define PGRES_SINGLE_TUPLE 9
#define PGRES_PIPELINE_SYNC 10
#define PGRES_PIPELINE_ABORTED 11
#define PGRES_TUPLES_CHUNK 12
#define PQTRANS_INTRANS 2
#define PQTRANS_INERROR 3
#define PQERRORS_VERBOSE 2

/// Calls `X(result type, name, parameters)` for each function that every supported libpq has.
#define CPOSTGRESQL_FUNCTIONS(X) \
    X(int, PQlibVersion, (void)) \
    X(void, PQfreemem, (void *memory)) \
    X(PQconninfoOption *, PQconninfoParse, (const char *text, char **problem)) \
    X(void, PQconninfoFree, (PQconninfoOption *options)) \
    X(PGconn *, PQconnectStartParams, \
        (const char *const *keywords, const char *const *values, int expands)) \
    X(int, PQconnectPoll, (PGconn *connection)) \
    X(int, PQsetErrorVerbosity, (PGconn *connection, int verbosity)) \
    X(void, PQfinish, (PGconn *connection)) \
    X(int, PQstatus, (const PGconn *connection)) \
    X(int, PQtransactionStatus, (const PGconn *connection)) \
    X(int, PQserverVersion, (const PGconn *connection)) \
    X(int, PQbackendPID, (const PGconn *connection)) \
    X(int, PQconnectionNeedsPassword, (const PGconn *connection)) \
    X(char *, PQerrorMessage, (const PGconn *connection)) \
    X(int, PQsocket, (const PGconn *connection)) \
    X(int, PQsetnonblocking, (PGconn *connection, int isNonblocking)) \
    X(PQnoticeReceiver, PQsetNoticeReceiver, \
        (PGconn *connection, PQnoticeReceiver receiver, void *context)) \
    X(PGcancel *, PQgetCancel, (PGconn *connection)) \
    X(void, PQfreeCancel, (PGcancel *cancel)) \
    X(int, PQcancel, (PGcancel *cancel, char *problem, int capacity)) \
    X(int, PQsendQuery, (PGconn *connection, const char *script)) \
    X(int, PQsendQueryParams, \
        (PGconn *connection, const char *sql, int count, const uint32_t *types, \
         const char *const *values, const int *lengths, const int *formats, int format)) \
    X(int, PQsendPrepare, \
        (PGconn *connection, const char *name, const char *sql, int count, \
         const uint32_t *types)) \
    X(int, PQsendQueryPrepared, \
        (PGconn *connection, const char *name, int count, const char *const *values, \
         const int *lengths, const int *formats, int format)) \
    X(int, PQsetSingleRowMode, (PGconn *connection)) \
    X(PGresult *, PQgetResult, (PGconn *connection)) \
    X(int, PQisBusy, (PGconn *connection)) \
    X(int, PQconsumeInput, (PGconn *connection)) \
    X(int, PQflush, (PGconn *connection)) \
    X(int, PQenterPipelineMode, (PGconn *connection)) \
    X(int, PQexitPipelineMode, (PGconn *connection)) \
    X(int, PQpipelineSync, (PGconn *connection)) \
    X(PGnotify *, PQnotifies, (PGconn *connection)) \
    X(int, PQputCopyData, (PGconn *connection, const char *bytes, int count)) \
    X(int, PQputCopyEnd, (PGconn *connection, const char *problem)) \
    X(int, PQresultStatus, (const PGresult *result)) \
    X(char *, PQresultErrorMessage, (const PGresult *result)) \
    X(char *, PQresultErrorField, (const PGresult *result, int field)) \
    X(int, PQntuples, (const PGresult *result)) \
    X(int, PQnfields, (const PGresult *result)) \
    X(char *, PQfname, (const PGresult *result, int column)) \
    X(int, PQfformat, (const PGresult *result, int column)) \
    X(uint32_t, PQftype, (const PGresult *result, int column)) \
    X(char *, PQcmdStatus, (PGresult *result)) \
    X(char *, PQcmdTuples, (PGresult *result)) \
    X(char *, PQgetvalue, (const PGresult *result, int row, int column)) \
    X(int, PQgetlength, (const PGresult *result, int row, int column)) \
    X(int, PQgetisnull, (const PGresult *result, int row, int column)) \
    X(void, PQclear, (PGresult *result))

#define CPOSTGRESQL_FIELD(type, name, parameters) type (*_Nonnull name) parameters;

/// The loaded functions.
typedef struct {
    CPOSTGRESQL_FUNCTIONS(CPOSTGRESQL_FIELD)
    /// Only libpq 17 and later have this function.
    int (*_Nullable PQsetChunkedRowsMode)(PGconn *connection, int rows);
} cpostgresql_functions;

/// Loads a library and finds the functions in it. Returns 0, or writes the problem as text.
///
/// The library stays loaded, because connections and results may use it at any time.
int cpostgresql_load(
    const char *_Nonnull file, cpostgresql_functions *_Nonnull functions, char *_Nonnull problem,
    size_t capacity);

/// A value of a result. The length of NULL is -1.
typedef struct {
    const void *_Nullable bytes;
    int32_t length;
} cpostgresql_cell;

static inline cpostgresql_cell cpostgresql_read(
    const cpostgresql_functions *_Nonnull functions, const PGresult *_Nonnull result, int32_t row,
    int32_t column) {
    cpostgresql_cell cell;
    cell.bytes = functions->PQgetvalue(result, row, column);
    cell.length = functions->PQgetlength(result, row, column);
    if (cell.length == 0 && functions->PQgetisnull(result, row, column)) cell.length = -1;
    return cell;
}

#define CPOSTGRESQL_READABLE 1
#define CPOSTGRESQL_WRITABLE 2
#define CPOSTGRESQL_WOKEN 4

/// Waits until a socket is ready for one of the wanted operations, or until `waker` is readable.
///
/// Returns the operations that are possible, 0 after the time, or -1 after an error. A negative
/// time has no end, and a negative `waker` is ignored. An error of the socket counts as readable,
/// because reading reports it.
int cpostgresql_wait(int socket, int waker, int wanted, int64_t milliseconds);

/// Nanoseconds of the monotonic clock.
static inline uint64_t cpostgresql_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// Integers in the byte order of the protocol.

static inline uint16_t cpostgresql_read16(const void *_Nonnull bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return __builtin_bswap16(value);
}

static inline uint32_t cpostgresql_read32(const void *_Nonnull bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return __builtin_bswap32(value);
}

static inline uint64_t cpostgresql_read64(const void *_Nonnull bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return __builtin_bswap64(value);
}

#pragma clang diagnostic pop

#endif
