// Checks that the offset constants match the layout of the header struct.

#include "CRowFormat.h"

#include <stddef.h>

#define AT(field) ((int)offsetof(faultline_row_header, field) - (int)sizeof(faultline_row_header))

_Static_assert(sizeof(void *) <= FAULTLINE_BLOCK_HEADER_SIZE, "a block's header has its address");
_Static_assert(sizeof(faultline_row_header) == FAULTLINE_ROW_HEADER_SIZE, "header");
_Static_assert(AT(key) == FAULTLINE_ROW_KEY, "key");
_Static_assert(AT(version) == FAULTLINE_ROW_VERSION, "version");
_Static_assert(AT(distance) == FAULTLINE_ROW_DISTANCE, "distance");
_Static_assert(AT(mark) == FAULTLINE_ROW_MARK, "mark");
_Static_assert(
    FAULTLINE_ROW_FIRST_NULL_WORD == -FAULTLINE_ROW_HEADER_SIZE - FAULTLINE_WORD_SIZE,
    "the first null word is next to the header");
_Static_assert(FAULTLINE_WORD_BITS == 8 * FAULTLINE_WORD_SIZE, "a word's bits");
_Static_assert(
    (FAULTLINE_WORD_SIZE & (FAULTLINE_WORD_SIZE - 1)) == 0, "whole words are found by a mask");
_Static_assert(FAULTLINE_BYTES_COUNT_SHIFT == 32, "an offset is the lower half of a word");
_Static_assert(FAULTLINE_ROW_HEADER_SIZE % FAULTLINE_WORD_SIZE == 0, "cells are aligned");
// The distance in a row header has 16 bits, half of whose range is left for the null words of the
// last row.
_Static_assert(
    FAULTLINE_BLOCK_BYTES_MAX / FAULTLINE_WORD_SIZE <= UINT16_MAX / 2 + 1, "distances fit");
