#ifndef CXCTESTHOOKS_H
#define CXCTESTHOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A Swift string as it is passed to a function.
typedef struct {
    uint64_t first;
    const void *second;
} faultline_string;

/// Runs a test case like XCTest: set-up, test, tear-down.
void faultline_xctest_run(void *test);
/// Reports a failure like XCTest.
void faultline_xctest_tell(
    void *test, faultline_string text, faultline_string file, intptr_t line, bool is_expected);

#endif
