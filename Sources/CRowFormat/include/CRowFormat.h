// The layout of a row in memory, for all code that packs or reads rows.
//
//     … | null words | row header | cells …
//
// The address of its cells identifies a row; a cell is the word of one value slot. The bytes of
// strings follow the cells.
//
// The first null word is the one next to the header. Its lowest bits contain the entity's index.
// The higher bits are the null bits of the slots from slot 0 on. Those of further slots are in the
// words before it.

#ifndef CROWFORMAT_H
#define CROWFORMAT_H

#include <stdint.h>

// The header directly before a row's cells.
typedef struct {
    int64_t key;
    int32_t version;
    // The offset of the cells from the first byte of the block, in words.
    uint16_t distance;
    // Whether the row is in the row cache. This flag is the only part of a row that changes.
    uint8_t mark;
    uint8_t unused;
} faultline_row_header;

// Offsets in bytes; negative ones are relative to the cells.
enum {
    // The size of the header before the first row of a block, which contains the address of the
    // block object.
    FAULTLINE_BLOCK_HEADER_SIZE = 8,
    // The maximum offset at which the last row of a block begins, so that it fits into the row
    // header.
    FAULTLINE_BLOCK_BYTES_MAX = 1 << 18,
    FAULTLINE_WORD_SIZE = 8,
    FAULTLINE_WORD_BITS = 64,
    FAULTLINE_ROW_HEADER_SIZE = 16,
    FAULTLINE_ROW_KEY = -16,
    FAULTLINE_ROW_VERSION = -8,
    FAULTLINE_ROW_DISTANCE = -4,
    FAULTLINE_ROW_MARK = -2,
    FAULTLINE_ROW_FIRST_NULL_WORD = -24,
    // The entity's index is in the lowest bits of the first null word.
    FAULTLINE_ROW_ENTITY = FAULTLINE_ROW_FIRST_NULL_WORD,
    FAULTLINE_ROW_ENTITY_BITS = 16,
    // The cell of a string or of binary data has two parts. The lower bits are the offset of the
    // bytes, counted from the cells. The upper bits are the number of bytes.
    FAULTLINE_BYTES_COUNT_SHIFT = 32,
    // The cell of a to-one relationship: the destination's key in the lower bits, and its entity in
    // the upper bits.
    FAULTLINE_REFERENCE_KEY_BITS = 48,
};

// Rounds a number of bytes up to whole words. This function and the next four require non-negative
// values, so the compiler can replace divisions by shifts.
static inline int64_t faultline_whole_words(int64_t bytes) {
    return (bytes + FAULTLINE_WORD_SIZE - 1) & -(int64_t)FAULTLINE_WORD_SIZE;
}

static inline int64_t faultline_null_word_count(int64_t slots) {
    uint64_t bits = (uint64_t)slots + FAULTLINE_ROW_ENTITY_BITS;
    return (int64_t)((bits + FAULTLINE_WORD_BITS - 1) / FAULTLINE_WORD_BITS);
}

// Converts the offset of a row's cells from the start of the block, in bytes, to the distance in
// the row header.
static inline uint16_t faultline_distance(int64_t bytes) {
    return (uint16_t)((uint64_t)bytes / FAULTLINE_WORD_SIZE);
}

// The offset of a slot's null word from the cells, in bytes.
static inline int64_t faultline_null_word_offset(int64_t slot) {
    uint64_t word = ((uint64_t)slot + FAULTLINE_ROW_ENTITY_BITS) / FAULTLINE_WORD_BITS;
    return FAULTLINE_ROW_FIRST_NULL_WORD - FAULTLINE_WORD_SIZE * (int64_t)word;
}

static inline uint64_t faultline_null_mask(int64_t slot) {
    return (uint64_t)1 << (((uint64_t)slot + FAULTLINE_ROW_ENTITY_BITS) % FAULTLINE_WORD_BITS);
}

// The cell of a string or of binary data with the given offset and number of bytes.
static inline uint64_t faultline_bytes_word(int64_t offset, int64_t count) {
    return (uint64_t)offset | (uint64_t)count << FAULTLINE_BYTES_COUNT_SHIFT;
}

static inline int64_t faultline_bytes_offset(uint64_t word) { return (uint32_t)word; }

static inline int64_t faultline_bytes_count(uint64_t word) {
    return (int64_t)(word >> FAULTLINE_BYTES_COUNT_SHIFT);
}

// The cell of a to-one relationship. Keys of new objects are negative, but indexes of entities are
// not.
static inline uint64_t faultline_reference_word(int32_t entity, int64_t key) {
    uint64_t keys = ((uint64_t)1 << FAULTLINE_REFERENCE_KEY_BITS) - 1;
    return (uint64_t)(uint16_t)entity << FAULTLINE_REFERENCE_KEY_BITS | ((uint64_t)key & keys);
}

static inline int32_t faultline_reference_entity(uint64_t word) {
    return (int32_t)(word >> FAULTLINE_REFERENCE_KEY_BITS);
}

static inline int64_t faultline_reference_key(uint64_t word) {
    int above = FAULTLINE_WORD_BITS - FAULTLINE_REFERENCE_KEY_BITS;
    return (int64_t)(word << above) >> above;
}

#endif
