// Workloads with shops, shelves, ordered items and tags. They cover two levels of to-many
// relationships, an order, and a many-to-many relationship.

#include "internal.h"

#define ITEM_COLUMNS "t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZSIZE, t0.ZSHELF, t0.ZTITLE"
#define ONE_ITEM "SELECT " ITEM_COLUMNS " FROM ZITEM t0 WHERE t0.Z_PK = ?"
#define ONE_SHELF "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZLABEL FROM ZSHELF t0 WHERE t0.Z_PK = ?"

// A row as a program without an ORM would keep it in memory.
typedef struct {
    int64_t key, number, owner;
    int length;
    char text[];
} row;

typedef struct {
    row **items;
    int64_t count, capacity;
} rows;

static void append(rows *list, row *each) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 256;
        list->items = realloc(list->items, (size_t)list->capacity * sizeof *list->items);
        if (!list->items) abort();
    }
    list->items[list->count++] = each;
}

static void free_rows(rows *list) {
    for (int64_t i = 0; i < list->count; i++) free(list->items[i]);
    free(list->items);
}

// Reads key, number, owner and text from these columns. A negative index stands for a missing
// column.
static void read_rows(
    sqlite3_stmt *statement, rows *list, int key, int number, int owner, int text,
    cb_result *result
) {
    if (result->code != SQLITE_OK) return;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        int length = sqlite3_column_bytes(statement, text);
        row *each = malloc(sizeof *each + (size_t)length + 1);
        if (!each) abort();
        each->key = sqlite3_column_int64(statement, key);
        each->number = number < 0 ? 0 : sqlite3_column_int64(statement, number);
        each->owner = owner < 0 ? 0 : sqlite3_column_int64(statement, owner);
        each->length = length;
        if (length > 0) memcpy(each->text, sqlite3_column_text(statement, text), (size_t)length);
        each->text[length] = 0;
        append(list, each);
        result->rows++;
    }
    if (code != SQLITE_DONE) cb_fail(sqlite3_db_handle(statement), code, result);
    sqlite3_reset(statement);
}

static void read_items(sqlite3_stmt *statement, rows *items, cb_result *result) {
    read_rows(statement, items, 1, 3, 4, 5, result);
}

static uint64_t touch(const row *item) {
    return (uint64_t)item->number * 3 + (uint64_t)item->length * 5 + (item->owner ? 17 : 0);
}

// Reads the row of each key with a separate SELECT.
static void read_each(
    sqlite3_stmt *one, const cb_keys *keys, int64_t first, rows *items, cb_result *result
) {
    for (int64_t i = first; i < keys->count && result->code == SQLITE_OK; i++) {
        sqlite3_bind_int64(one, 1, keys->items[i]);
        read_items(one, items, result);
    }
}

// The statements, keys and rows of a workload that reads shops, shelves and items.
typedef struct {
    sqlite3 *connection;
    sqlite3_stmt *shops, *shelves, *shelf, *members, *item;
    cb_keys shop_keys, shelf_keys, item_keys;
    rows shelf_rows, items;
} walk;

static void walk_shelves(walk *self, int depth, cb_result *result) {
    if (depth == 0) {
        for (int64_t i = 0; i < self->shop_keys.count && result->code == SQLITE_OK; i++) {
            sqlite3_bind_int64(self->shelves, 1, self->shop_keys.items[i]);
            cb_read_keys(self->shelves, &self->shelf_keys, result);
        }
        for (int64_t i = 0; i < self->shelf_keys.count && result->code == SQLITE_OK; i++) {
            sqlite3_bind_int64(self->shelf, 1, self->shelf_keys.items[i]);
            read_rows(self->shelf, &self->shelf_rows, 0, -1, -1, 3, result);
        }
        return;
    }
    if (self->shelves) cb_bind_keys(self->shelves, 1, &self->shop_keys);
    read_rows(self->shelves, &self->shelf_rows, 0, -1, -1, 3, result);
    for (int64_t i = 0; i < self->shelf_rows.count; i++) {
        cb_append_key(&self->shelf_keys, self->shelf_rows.items[i]->key);
    }
}

static void walk_items(walk *self, int depth, cb_result *result) {
    if (depth == 2) {
        if (self->members) cb_bind_keys(self->members, 1, &self->shelf_keys);
        read_items(self->members, &self->items, result);
        return;
    }
    for (int64_t i = 0; i < self->shelf_keys.count && result->code == SQLITE_OK; i++) {
        int64_t first = self->item_keys.count;
        sqlite3_bind_int64(self->members, 1, self->shelf_keys.items[i]);
        cb_read_keys(self->members, &self->item_keys, result);
        read_each(self->item, &self->item_keys, first, &self->items, result);
    }
}

static void prepare_walk(walk *self, int depth, cb_result *result) {
    self->shops = cb_prepare(
        self->connection, "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZNAME FROM ZSHOP t0", result);
    self->shelves = cb_prepare(
        self->connection,
        depth == 0 ? "SELECT t0.Z_PK FROM ZSHELF t0 WHERE t0.ZSHOP = ?"
                   : "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZLABEL FROM cb_array(?1) a "
                     "CROSS JOIN ZSHELF t0 ON t0.ZSHOP = a.value",
        result);
    self->shelf = cb_prepare(self->connection, ONE_SHELF, result);
    self->members = cb_prepare(
        self->connection,
        depth == 2 ? "SELECT " ITEM_COLUMNS " FROM cb_array(?1) a "
                     "CROSS JOIN ZITEM t0 ON t0.ZSHELF = a.value ORDER BY a.rowid, t0.Z_FOK_SHELF"
                   : "SELECT t0.Z_PK FROM ZITEM t0 WHERE t0.ZSHELF = ? ORDER BY t0.Z_FOK_SHELF",
        result);
    self->item = cb_prepare(self->connection, ONE_ITEM, result);
}

static void finish_walk(walk *self, cb_result *result) {
    cb_finish(self->shops, CB_SELECT, result);
    cb_finish(self->shelves, CB_SELECT, result);
    cb_finish(self->shelf, CB_SELECT, result);
    cb_finish(self->members, CB_SELECT, result);
    cb_finish(self->item, CB_SELECT, result);
    free_rows(&self->shelf_rows);
    free_rows(&self->items);
    free(self->shop_keys.items);
    free(self->shelf_keys.items);
    free(self->item_keys.items);
    cb_close(self->connection, result);
}

void cb_two_levels(const char *path, int depth, cb_result *result) {
    walk self = {.connection = cb_open(path, SQLITE_OPEN_READWRITE, result)};
    int64_t start = cb_now();
    prepare_walk(&self, depth, result);
    cb_read_keys(self.shops, &self.shop_keys, result);
    walk_shelves(&self, depth, result);
    walk_items(&self, depth, result);
    for (int64_t i = 0; i < self.shelf_rows.count; i++) {
        result->checksum += (uint64_t)self.shelf_rows.items[i]->length * 7;
    }
    for (int64_t i = 0; i < self.items.count; i++) {
        result->checksum += touch(self.items.items[i]);
    }
    result->nanoseconds = cb_now() - start;
    finish_walk(&self, result);
}

void cb_ordered(const char *path, int prefetches, cb_result *result) {
    walk self = {.connection = cb_open(path, SQLITE_OPEN_READWRITE, result)};
    int64_t start = cb_now();
    prepare_walk(&self, prefetches ? 2 : 0, result);
    sqlite3_stmt *all = cb_prepare(
        self.connection, "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZLABEL FROM ZSHELF t0", result);
    cb_read_keys(all, &self.shelf_keys, result);
    walk_items(&self, prefetches ? 2 : 0, result);
    int64_t owner = 0;
    uint64_t place = 0;
    for (int64_t i = 0; i < self.items.count; i++) {
        const row *item = self.items.items[i];
        if (item->owner != owner) place = 0;
        owner = item->owner;
        result->checksum += touch(item) * ++place;
    }
    result->nanoseconds = cb_now() - start;
    cb_finish(all, CB_SELECT, result);
    finish_walk(&self, result);
}

// Adds up the lengths of the names of all tags. Each name is read once.
static void touch_tags(
    sqlite3_stmt *one, const cb_keys *tags, cb_result *result
) {
    rows words = {0};
    int known[1024] = {0};
    for (int64_t i = 0; i < tags->count && result->code == SQLITE_OK; i++) {
        int64_t key = tags->items[i] & 1023;
        if (!known[key]) {
            sqlite3_bind_int64(one, 1, tags->items[i]);
            read_rows(one, &words, 0, -1, -1, 3, result);
            known[key] = words.count > 0 ? words.items[words.count - 1]->length : 0;
        }
        result->checksum += (uint64_t)known[key] * 3;
    }
    free_rows(&words);
}

void cb_many_to_many(const char *path, int prefetches, cb_result *result) {
    rows items = {0};
    cb_keys keys = {0}, tags = {0};
    sqlite3 *connection = cb_open(path, SQLITE_OPEN_READWRITE, result);
    int64_t start = cb_now();
    sqlite3_stmt *all = cb_prepare(connection, "SELECT " ITEM_COLUMNS " FROM ZITEM t0", result);
    sqlite3_stmt *of = cb_prepare(
        connection,
        prefetches ? "SELECT t0.Z_4TAGS FROM cb_array(?1) a "
                     "CROSS JOIN Z_1TAGS t0 ON t0.Z_1ITEMS = a.value"
                   : "SELECT t0.Z_4TAGS FROM Z_1TAGS t0 WHERE t0.Z_1ITEMS = ?",
        result);
    sqlite3_stmt *tag = cb_prepare(
        connection, "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZWORD FROM ZTAG t0 WHERE t0.Z_PK = ?",
        result);
    read_items(all, &items, result);
    for (int64_t i = 0; i < items.count; i++) cb_append_key(&keys, items.items[i]->key);
    if (prefetches) {
        if (of) cb_bind_keys(of, 1, &keys);
        cb_read_keys(of, &tags, result);
    } else {
        for (int64_t i = 0; i < keys.count && result->code == SQLITE_OK; i++) {
            sqlite3_bind_int64(of, 1, keys.items[i]);
            cb_read_keys(of, &tags, result);
        }
    }
    touch_tags(tag, &tags, result);
    result->nanoseconds = cb_now() - start;
    cb_finish(all, CB_SELECT, result);
    cb_finish(of, CB_SELECT, result);
    cb_finish(tag, CB_SELECT, result);
    free_rows(&items);
    free(keys.items);
    free(tags.items);
    cb_close(connection, result);
}
