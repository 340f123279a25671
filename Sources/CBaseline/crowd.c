// A workload in which several threads save, one thread at a time, while other threads fetch.

#include "internal.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    const char *path;
    int64_t saves, rows;
    // Only the thread that holds this lock writes. Without it, SQLite's busy handler would let the
    // other threads poll.
    pthread_mutex_t turn;
    atomic_int writing;
} crowd;

typedef struct {
    crowd *all;
    int64_t number;
    cb_keys latencies;
    cb_result result;
} member;

static void save_once(
    sqlite3 *connection, sqlite3_stmt *update, cb_books *books, member *self
) {
    pthread_mutex_lock(&self->all->turn);
    cb_add_pages(connection, update, books, &self->result);
    pthread_mutex_unlock(&self->all->turn);
}

static void *save_again_and_again(void *argument) {
    member *self = argument;
    cb_books books = {0};
    sqlite3 *connection = cb_open(self->all->path, SQLITE_OPEN_READWRITE, &self->result);
    sqlite3_stmt *own = cb_prepare(
        connection,
        "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0 LIMIT ? OFFSET ?",
        &self->result);
    if (own) {
        sqlite3_bind_int64(own, 1, self->all->rows);
        sqlite3_bind_int64(own, 2, self->number * self->all->rows);
    }
    cb_read_books(own, &books, &self->result);
    sqlite3_finalize(own);
    sqlite3_stmt *update = cb_prepare(connection, CB_SAVE_PAGES, &self->result);
    for (int64_t i = 0; i < self->all->saves && self->result.code == SQLITE_OK; i++) {
        save_once(connection, update, &books, self);
    }
    atomic_fetch_sub(&self->all->writing, 1);
    cb_finish(update, CB_UPDATE, &self->result);
    cb_free_books(&books);
    cb_close(connection, &self->result);
    return NULL;
}

static void *fetch_again_and_again(void *argument) {
    member *self = argument;
    sqlite3 *connection = cb_open(self->all->path, SQLITE_OPEN_READWRITE, &self->result);
    sqlite3_stmt *page = cb_prepare(
        connection, "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0 LIMIT 50",
        &self->result);
    do {
        cb_books books = {0};
        int64_t start = cb_now();
        cb_read_books(page, &books, &self->result);
        self->result.checksum ^= cb_touch_books(&books);
        cb_append_key(&self->latencies, cb_now() - start);
        cb_free_books(&books);
    } while (atomic_load(&self->all->writing) > 0 && self->result.code == SQLITE_OK);
    cb_finish(page, CB_SELECT, &self->result);
    cb_close(connection, &self->result);
    return NULL;
}

static int by_size(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

// Adds the latencies of one thread to the result, and its error.
static void join(member *self, cb_keys *latencies, cb_result *result) {
    for (int64_t i = 0; i < self->latencies.count; i++) {
        cb_append_key(latencies, self->latencies.items[i]);
    }
    free(self->latencies.items);
    if (self->result.code != SQLITE_OK) cb_fail_text(self->result.code, self->result.error, result);
}

void cb_crowd(
    const char *path, int writers, int fetchers, int64_t saves, int64_t rows, cb_result *result
) {
    memset(result, 0, sizeof *result);
    int count = writers + fetchers;
    crowd all = {.path = path, .saves = saves, .rows = rows, .turn = PTHREAD_MUTEX_INITIALIZER};
    atomic_store(&all.writing, writers);
    member *members = calloc((size_t)count, sizeof *members);
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    if (!members || !threads) abort();
    int64_t start = cb_now();
    for (int i = 0; i < count; i++) {
        members[i].all = &all;
        members[i].number = i;
        void *(*work)(void *) = i < writers ? save_again_and_again : fetch_again_and_again;
        if (pthread_create(&threads[i], NULL, work, &members[i])) abort();
    }
    for (int i = 0; i < writers; i++) pthread_join(threads[i], NULL);
    result->nanoseconds = cb_now() - start;
    for (int i = writers; i < count; i++) pthread_join(threads[i], NULL);
    cb_keys latencies = {0};
    for (int i = 0; i < count; i++) join(&members[i], &latencies, result);
    if (latencies.count > 0) {
        qsort(latencies.items, (size_t)latencies.count, sizeof *latencies.items, by_size);
        result->fetches = latencies.count;
        result->median = latencies.items[latencies.count / 2];
        result->percentile_99 = latencies.items[latencies.count * 99 / 100];
    }
    result->saves = writers * saves;
    free(latencies.items);
    free(members);
    free(threads);
}
