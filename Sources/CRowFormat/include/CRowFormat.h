// How a row is laid out in memory, for everybody who packs or reads one.
//
//     … | null words | row header | cells …
//
// A row is named by the address of its cells: one word for each value slot. Right in front of them
// stands the row's header, and in front of that the null words, the first of them next to the
// header. Its lowest bits are the entity; above them comes the null bit of slot 0, then those of
// the next slots, and so on in the words before it. The bytes of strings follow the cells.

#ifndef CROWFORMAT_H
#define CROWFORMAT_H

#include <stdint.h>

// What stands right in front of a row's cells.
typedef struct {
    int64_t key;
    int32_t version;
    // How many words the cells are from the first byte of their block.
    uint16_t distance;
    // Whether the row is in the row cache: the only part that ever changes.
    uint8_t mark;
    uint8_t unused;
} faultline_row_header;

// Offsets in bytes, those with a minus from the cells.
enum {
    // What comes before the first row of a block: the address of the block.
    FAULTLINE_BLOCK_HEADER_SIZE = 8,
    // How long a block's rows may be before its last one begins, so that distances fit.
    FAULTLINE_BLOCK_BYTES_MAX = 1 << 18,
    FAULTLINE_WORD_SIZE = 8,
    FAULTLINE_WORD_BITS = 64,
    FAULTLINE_ROW_HEADER_SIZE = 16,
    FAULTLINE_ROW_KEY = -16,
    FAULTLINE_ROW_VERSION = -8,
    FAULTLINE_ROW_DISTANCE = -4,
    FAULTLINE_ROW_MARK = -2,
    FAULTLINE_ROW_FIRST_NULL_WORD = -24,
    // The entity is in the lowest bits of the first null word.
    FAULTLINE_ROW_ENTITY = FAULTLINE_ROW_FIRST_NULL_WORD,
    FAULTLINE_ROW_ENTITY_BITS = 16,
    // In the word of a string or of bytes: how far they are from the cells, and above, how many.
    FAULTLINE_BYTES_COUNT_SHIFT = 32,
    // In the word of a to-one value: the key, and above, the entity.
    FAULTLINE_REFERENCE_ENTITY_SHIFT = 48,
};

#endif
