// The workloads with several threads. Each thread has a separate connection.

#include "internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define ALL_BOOKS "SELECT " CB_BOOK_COLUMNS " FROM ZBOOK t0"

typedef struct {
    const char *path;
    sqlite3 *connection;
    sqlite3_stmt *all;
    int64_t fetches;
    int steady;
    cb_result result;
} reader;

static void *read_all(void *argument) {
    reader *self = argument;
    uint64_t sum = 0;
    for (int64_t i = 0; i < self->fetches && self->result.code == SQLITE_OK; i++) {
        cb_books books = {0};
        cb_read_books(self->all, &books, &self->result);
        for (int64_t k = 0; k < books.count; k++) {
            const cb_book *book = books.items[k];
            sum += cb_touch_book(book) - (self->steady ? (uint64_t)book->pages * 5 : 0);
        }
        cb_free_books(&books);
    }
    self->result.checksum = sum;
    return NULL;
}

static void open_reader(reader *self) {
    self->connection = cb_open(self->path, SQLITE_OPEN_READWRITE, &self->result);
    self->all = cb_prepare(self->connection, ALL_BOOKS, &self->result);
    sqlite3_exec(self->connection, "SELECT 1 FROM ZAUTHOR LIMIT 1", NULL, NULL, NULL);
}

static void close_reader(reader *self, cb_result *result) {
    cb_finish(self->all, CB_SELECT, result);
    result->checksum += self->result.checksum;
    result->rows += self->result.rows;
    if (self->result.code != SQLITE_OK) cb_fail_text(self->result.code, self->result.error, result);
    cb_close(self->connection, result);
}

void cb_parallel(const char *path, int readers, int64_t fetches, cb_result *result) {
    memset(result, 0, sizeof *result);
    reader *crew = calloc((size_t)readers, sizeof *crew);
    pthread_t *threads = calloc((size_t)readers, sizeof *threads);
    if (!crew || !threads) abort();
    for (int i = 0; i < readers; i++) {
        crew[i].path = path;
        crew[i].fetches = fetches;
        open_reader(&crew[i]);
    }
    int64_t start = cb_now();
    for (int i = 0; i < readers; i++) {
        if (pthread_create(&threads[i], NULL, read_all, &crew[i])) abort();
    }
    for (int i = 0; i < readers; i++) pthread_join(threads[i], NULL);
    result->nanoseconds = cb_now() - start;
    for (int i = 0; i < readers; i++) close_reader(&crew[i], result);
    free(crew);
    free(threads);
}

// The work of a writing thread, which ends if it is stopped or all its rows are written.
typedef struct {
    const char *path;
    const cb_dataset *data;
    int64_t chunk;
    int64_t interval;
    atomic_int stops, ends;
    int64_t saves;
    cb_result result;
} writer;

// Waits until the time of the next save. Returns immediately if that time has passed.
static void wait_for_turn(int64_t *next, int64_t interval) {
    *next += interval;
    int64_t now = cb_now();
    if (*next < now) *next = now;
    struct timespec turn = {.tv_sec = *next / 1000000000, .tv_nsec = *next % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &turn, NULL);
}

static void *write_on(void *argument) {
    writer *self = argument;
    cb_books books = {0};
    int64_t turn = cb_now();
    sqlite3 *connection = cb_open(self->path, SQLITE_OPEN_READWRITE, &self->result);
    sqlite3_stmt *first = cb_prepare(connection, ALL_BOOKS " LIMIT 100", &self->result);
    cb_read_books(first, &books, &self->result);
    sqlite3_finalize(first);
    sqlite3_stmt *update = cb_prepare(connection, CB_SAVE_PAGES, &self->result);
    do {
        cb_add_pages(connection, update, &books, &self->result);
        self->saves++;
        if (self->interval > 0) wait_for_turn(&turn, self->interval);
    } while (!atomic_load(&self->stops) && self->result.code == SQLITE_OK);
    cb_finish(update, CB_UPDATE, &self->result);
    cb_free_books(&books);
    cb_close(connection, &self->result);
    return NULL;
}

void cb_beside(const char *path, int64_t interval, int64_t fetches, cb_result *result) {
    memset(result, 0, sizeof *result);
    int writes = interval >= 0;
    reader self = {.path = path, .fetches = fetches, .steady = 1};
    writer other = {.path = path, .interval = interval};
    pthread_t reading, writing;
    open_reader(&self);
    if (writes && pthread_create(&writing, NULL, write_on, &other)) abort();
    int64_t start = cb_now();
    if (pthread_create(&reading, NULL, read_all, &self)) abort();
    pthread_join(reading, NULL);
    result->nanoseconds = cb_now() - start;
    atomic_store(&other.stops, 1);
    if (writes) pthread_join(writing, NULL);
    if (other.result.code != SQLITE_OK) cb_fail_text(other.result.code, other.result.error, result);
    result->saves = other.saves;
    close_reader(&self, result);
}

static void *import_all(void *argument) {
    writer *self = argument;
    sqlite3 *connection = cb_open(self->path, SQLITE_OPEN_READWRITE, &self->result);
    cb_insert_rows(connection, self->data, self->chunk, &self->result);
    cb_close(connection, &self->result);
    atomic_store(&self->ends, 1);
    return NULL;
}

static int by_size(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static void fetch_screen(sqlite3_stmt *page, cb_keys *latencies, cb_result *result) {
    struct timespec pause = {.tv_nsec = 4000000};
    cb_books books = {0};
    int64_t start = cb_now();
    cb_read_books(page, &books, result);
    result->checksum ^= cb_touch_books(&books);
    cb_append_key(latencies, cb_now() - start);
    cb_free_books(&books);
    nanosleep(&pause, NULL);
}

void cb_import(const char *path, const cb_dataset *dataset, int64_t chunk, cb_result *result) {
    cb_keys latencies = {0};
    writer other = {.path = path, .data = dataset, .chunk = chunk};
    pthread_t writing;
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *page = cb_prepare(
        connection, ALL_BOOKS " ORDER BY t0.ZTITLE LIMIT 50", result);
    if (pthread_create(&writing, NULL, import_all, &other)) abort();
    do {
        fetch_screen(page, &latencies, result);
    } while (!atomic_load(&other.ends) && result->code == SQLITE_OK);
    pthread_join(writing, NULL);
    result->nanoseconds = cb_now() - start;
    if (other.result.code != SQLITE_OK) cb_fail_text(other.result.code, other.result.error, result);
    qsort(latencies.items, (size_t)latencies.count, sizeof *latencies.items, by_size);
    result->fetches = latencies.count;
    result->median = latencies.items[latencies.count / 2];
    result->percentile_99 = latencies.items[latencies.count * 99 / 100];
    result->checksum = (uint64_t)(dataset->authors * dataset->books_per_author);
    cb_finish(page, CB_SELECT, result);
    free(latencies.items);
    cb_close(connection, result);
}
