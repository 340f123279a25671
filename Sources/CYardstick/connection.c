// Opens files and runs statements. The counters of a statement are read when it is finalized, after
// the measurement.

#include "internal.h"

#include <stdio.h>
#include <time.h>

int64_t cb_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void cb_fail_text(int code, const char *text, cb_result *result) {
    if (result->code != SQLITE_OK) return;
    result->code = code;
    snprintf(result->error, sizeof result->error, "%s", text);
}

void cb_fail(sqlite3 *connection, int code, cb_result *result) {
    cb_fail_text(code, connection ? sqlite3_errmsg(connection) : sqlite3_errstr(code), result);
}

int cb_keep_no_memory_account(cb_result *result) {
    static int is_done;
    memset(result, 0, sizeof *result);
    if (!is_done) is_done = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
    if (is_done) return 1;
    cb_fail_text(
        SQLITE_MISUSE, "SQLite is at work in this process already: set it up before", result);
    return 0;
}

sqlite3 *cb_open(const char *path, int flags, cb_result *result) {
    sqlite3 *connection = NULL;
    memset(result, 0, sizeof *result);
    int code = sqlite3_open_v2(path, &connection, flags | SQLITE_OPEN_NOMUTEX, NULL);
    // The settings below read the file. Another connection may lock the file while it closes, so
    // the time-out is set first.
    if (code == SQLITE_OK) code = sqlite3_busy_timeout(connection, 5000);
    if (code == SQLITE_OK) code = cb_register_array(connection);
    // The engine's connections have the same settings.
    if (code == SQLITE_OK) {
        const char *settings = "PRAGMA cache_size=1000; PRAGMA synchronous=NORMAL";
        code = sqlite3_exec(connection, settings, NULL, NULL, NULL);
    }
    if (code != SQLITE_OK) cb_fail(connection, code, result);
    return connection;
}

void cb_close(sqlite3 *connection, cb_result *result) {
    int code = sqlite3_close(connection);
    if (code != SQLITE_OK) cb_fail(connection, code, result);
}

sqlite3_stmt *cb_prepare(sqlite3 *connection, const char *sql, cb_result *result) {
    sqlite3_stmt *statement = NULL;
    if (result->code != SQLITE_OK) return NULL;
    int code = sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    if (code != SQLITE_OK) cb_fail(connection, code, result);
    return statement;
}

void cb_finish(sqlite3_stmt *statement, cb_kind kind, cb_result *result) {
    if (!statement) return;
    int runs = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0);
    result->vm_steps += (uint32_t)sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    if (runs > 0 && result->statement_count < CB_STATEMENTS_MAX) {
        cb_statement *entry = &result->statements[result->statement_count++];
        entry->kind = kind;
        entry->executions = runs;
        snprintf(entry->sql, sizeof entry->sql, "%s", sqlite3_sql(statement));
    }
    sqlite3_finalize(statement);
}

void cb_step_done(sqlite3_stmt *statement, cb_result *result) {
    if (result->code != SQLITE_OK) return;
    int code = sqlite3_step(statement);
    if (code != SQLITE_DONE) cb_fail(sqlite3_db_handle(statement), code, result);
    sqlite3_reset(statement);
}

void cb_run(sqlite3 *connection, const char *sql, cb_kind kind, cb_result *result) {
    sqlite3_stmt *statement = cb_prepare(connection, sql, result);
    if (!statement) return;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {}
    if (code != SQLITE_DONE) cb_fail(connection, code, result);
    cb_finish(statement, kind, result);
}

const char *cb_sqlite_version(void) { return sqlite3_libversion(); }
const char *cb_sqlite_source_id(void) { return sqlite3_sourceid(); }
const char *cb_sqlite_option(int index) { return sqlite3_compileoption_get(index); }

void *cb_hold(const char *path) {
    cb_result result;
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, &result);
    sqlite3_exec(connection, "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX", NULL, NULL, NULL);
    return connection;
}

void cb_let_go(void *held) { sqlite3_close(held); }
