#include "CSQLite.h"

#include <CRowFormat.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Steps a statement and packs its rows in the format of `CRowFormat.h`. One call packs a block of
// rows, because a call from Swift for each column would cost more than SQLite does.

enum { FIRST_CAPACITY = 4096 };

static int reserve(csqlite_row_buffer *rows, int64_t needed) {
    if (needed <= rows->capacity) return SQLITE_OK;
    int64_t capacity = rows->capacity * 2 > FIRST_CAPACITY ? rows->capacity * 2 : FIRST_CAPACITY;
    if (capacity < needed) capacity = needed;
    uint8_t *larger = realloc(rows->bytes, (size_t)capacity);
    if (!larger) return SQLITE_NOMEM;
    rows->bytes = larger;
    rows->capacity = capacity;
    return SQLITE_OK;
}

static int reserve_rows(csqlite_row_buffer *rows, int32_t limit) {
    if (limit <= rows->limit) return SQLITE_OK;
    int32_t *offsets = realloc(rows->offsets, (size_t)limit * sizeof *offsets);
    if (offsets) rows->offsets = offsets;
    int64_t *tags = realloc(rows->tags, (size_t)limit * sizeof *tags);
    if (tags) rows->tags = tags;
    if (!offsets || !tags) return SQLITE_NOMEM;
    rows->limit = limit;
    return SQLITE_OK;
}

void csqlite_free_rows(csqlite_row_buffer *rows) {
    free(rows->bytes);
    free(rows->offsets);
    free(rows->tags);
    memset(rows, 0, sizeof *rows);
}

static int32_t entity_of(const csqlite_row_plan *plan, int64_t number, int32_t otherwise) {
    if (number <= 0 || number >= plan->entity_count) return otherwise;
    int32_t entity = plan->entities[number];
    return entity < 0 ? otherwise : entity;
}

static int pack_bytes(
    csqlite_row_buffer *rows, int64_t cells, int64_t *word, sqlite3_value *value, int type) {
    const void *bytes = type == SQLITE_BLOB ? sqlite3_value_blob(value)
                                            : (const void *)sqlite3_value_text(value);
    int64_t count = bytes ? sqlite3_value_bytes(value) : 0;
    int code = reserve(rows, rows->used + count);
    if (code != SQLITE_OK) return code;
    if (count > 0) memcpy(rows->bytes + rows->used, bytes, (size_t)count);
    *word = (int64_t)faultline_bytes_word(rows->used - cells, count);
    rows->used += count;
    return SQLITE_OK;
}

static int64_t reference(
    sqlite3_stmt *statement, const csqlite_row_plan *plan, const csqlite_move *move, int64_t key) {
    int32_t entity = move->entity;
    if (move->entity_column >= 0) {
        entity = entity_of(plan, sqlite3_column_int64(statement, move->entity_column), entity);
    }
    return (int64_t)faultline_reference_word(entity, key);
}

// Whether a value that was read as zero is NULL. The type is requested only for zeros: for each
// value it would cost more than the packing.
static inline bool is_null(sqlite3_stmt *statement, int column) {
    return sqlite3_column_type(statement, column) == SQLITE_NULL;
}

// Reads the words of a row whose cells are in the buffer.
static int pack_values(
    sqlite3_stmt *statement, const csqlite_row_plan *plan, const csqlite_row_shape *shape,
    int64_t cells, csqlite_row_buffer *rows) {
    const csqlite_move *end = shape->moves + shape->move_count;
    for (const csqlite_move *move = shape->moves; move < end; move++) {
        int64_t word = 0;
        switch (move->form) {
        case CSQLITE_INTEGER:
            word = sqlite3_column_int64(statement, move->column);
            if (word == 0 && is_null(statement, move->column)) continue;
            break;
        case CSQLITE_DOUBLE: {
            double number = sqlite3_column_double(statement, move->column);
            if (number == 0 && is_null(statement, move->column)) continue;
            memcpy(&word, &number, sizeof word);
            break;
        }
        case CSQLITE_BYTES: {
            sqlite3_value *value = sqlite3_column_value(statement, move->column);
            int type = sqlite3_value_type(value);
            if (type == SQLITE_NULL) continue;
            int code = pack_bytes(rows, cells, &word, value, type);
            if (code != SQLITE_OK) return code;
            break;
        }
        default: {
            int64_t key = sqlite3_column_int64(statement, move->column);
            if (key == 0 && is_null(statement, move->column)) continue;
            word = reference(statement, plan, move, key);
        }
        }
        uint8_t *row = rows->bytes + cells;
        ((int64_t *)(void *)row)[move->slot] = word;
        uint64_t *nulls = (uint64_t *)(void *)(row + faultline_null_word_offset(move->slot));
        *nulls &= ~faultline_null_mask(move->slot);
    }
    return SQLITE_OK;
}

// Writes an empty row: every slot null, every word zero.
static void begin_row(uint8_t *row, int64_t null_words, int32_t slot_count) {
    uint64_t *nulls = (uint64_t *)(void *)(row + FAULTLINE_ROW_FIRST_NULL_WORD);
    for (int64_t i = 0; i < null_words; i++) nulls[-i] = ~(uint64_t)0;
    int64_t *words = (int64_t *)(void *)row;
    for (int32_t i = 0; i < slot_count; i++) words[i] = 0;
}

static int pack_row(
    sqlite3_stmt *statement, const csqlite_row_plan *plan, csqlite_row_buffer *rows) {
    const csqlite_row_shape *shape = plan->shapes;
    int32_t entity = plan->first_entity;
    if (plan->shape_count > 1) {
        int32_t found = entity_of(plan, sqlite3_column_int64(statement, 0), entity);
        if (found >= entity && found < entity + plan->shape_count) {
            shape += found - entity;
            entity = found;
        }
    }
    int64_t null_words = faultline_null_word_count(shape->slot_count);
    int64_t cells = faultline_whole_words(rows->used) + FAULTLINE_WORD_SIZE * null_words
        + FAULTLINE_ROW_HEADER_SIZE;
    int64_t end = cells + FAULTLINE_WORD_SIZE * (int64_t)shape->slot_count;
    int code = reserve(rows, end);
    if (code != SQLITE_OK) return code;
    uint8_t *row = rows->bytes + cells;
    begin_row(row, null_words, shape->slot_count);
    faultline_row_header header = {
        .key = sqlite3_column_int64(statement, 1),
        .version = (int32_t)sqlite3_column_int64(statement, 2),
        .distance = faultline_distance(cells),
    };
    memcpy(row - FAULTLINE_ROW_HEADER_SIZE, &header, sizeof header);
    uint16_t short_entity = (uint16_t)entity;
    memcpy(row + FAULTLINE_ROW_ENTITY, &short_entity, sizeof short_entity);
    rows->used = end;
    rows->offsets[rows->count++] = (int32_t)cells;
    return pack_values(statement, plan, shape, cells, rows);
}

int csqlite_pack_rows(
    sqlite3_stmt *statement, const csqlite_row_plan *plan, int tag_column, int32_t limit,
    csqlite_row_buffer *rows) {
    rows->used = FAULTLINE_BLOCK_HEADER_SIZE;
    rows->count = 0;
    int code = reserve_rows(rows, limit);
    if (code == SQLITE_OK) code = reserve(rows, FAULTLINE_BLOCK_HEADER_SIZE);
    if (code != SQLITE_OK) return code;
    while (rows->count < limit && rows->used < FAULTLINE_BLOCK_BYTES_MAX) {
        code = sqlite3_step(statement);
        if (code != SQLITE_ROW) return code;
        if (tag_column >= 0) rows->tags[rows->count] = sqlite3_column_int64(statement, tag_column);
        code = pack_row(statement, plan, rows);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_ROW;
}

int csqlite_read_integers(
    sqlite3_stmt *statement, int column, int width, int64_t *values, int32_t limit,
    int32_t *count) {
    *count = 0;
    while (*count < limit) {
        int code = sqlite3_step(statement);
        if (code != SQLITE_ROW) return code;
        for (int index = 0; index < width; index++) {
            *values++ = sqlite3_column_int64(statement, column + index);
        }
        (*count)++;
    }
    return SQLITE_ROW;
}
