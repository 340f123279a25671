#define _GNU_SOURCE
#include "CXCTestHooks.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// XCTest runs a test case with `invokeTest()`, reports a failure with `recordFailure(…)`, and ends
// a wait with `fulfill(…)`. The method tables of test cases refer to these methods by their
// symbols. This file defines the same symbols, so its functions replace the methods. Each of them
// calls the original.
#define FAULTLINE_SWIFT __attribute__((swiftcall))
#define FAULTLINE_SELF __attribute__((swift_context))

#define FAULTLINE_INVOKE "$s6XCTest0A4CaseC10invokeTestyyF"
#define FAULTLINE_RECORD \
    "$s6XCTest0A4CaseC13recordFailure15withDescription6inFile6atLine8expectedySS_SSSiSbtF"

typedef FAULTLINE_SWIFT void (*invoke_function)(FAULTLINE_SELF void *test);
#define FAULTLINE_FULFILL "$s6XCTest0A11ExpectationC7fulfill_4lineys12StaticStringV_SitF"

// A static string is passed as two words and a byte.
typedef FAULTLINE_SWIFT void (*fulfill_function)(
    uint64_t file, uint64_t more_file, uint8_t kind, intptr_t line,
    FAULTLINE_SELF void *expectation);
typedef FAULTLINE_SWIFT void (*record_function)(
    uint64_t text, const void *more_text, uint64_t file, const void *more_file, intptr_t line,
    bool is_expected, FAULTLINE_SELF void *test);

// Defined in `LabXCTest`.
extern void faultline_xctest_invoked(void *test);
extern void faultline_xctest_fulfilled(void);
extern bool faultline_xctest_failed(
    void *test, uint64_t text, const void *more_text, uint64_t file, const void *more_file,
    intptr_t line);

static void *original(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found != NULL) return found;
    fprintf(stderr, "XCTest has no %s; this version of it cannot be explored\n", name);
    abort();
}

void faultline_xctest_run(void *test) { ((invoke_function)original(FAULTLINE_INVOKE))(test); }

void faultline_xctest_tell(
    void *test, faultline_string text, faultline_string file, intptr_t line, bool is_expected) {
    record_function record = (record_function)original(FAULTLINE_RECORD);
    record(text.first, text.second, file.first, file.second, line, is_expected, test);
}

FAULTLINE_SWIFT void faultline_xctest_invoke(FAULTLINE_SELF void *test) __asm__(FAULTLINE_INVOKE);
FAULTLINE_SWIFT void faultline_xctest_invoke(FAULTLINE_SELF void *test) {
    faultline_xctest_invoked(test);
}

FAULTLINE_SWIFT void faultline_xctest_record(
    uint64_t text, const void *more_text, uint64_t file, const void *more_file, intptr_t line,
    bool is_expected, FAULTLINE_SELF void *test) __asm__(FAULTLINE_RECORD);
FAULTLINE_SWIFT void faultline_xctest_record(
    uint64_t text, const void *more_text, uint64_t file, const void *more_file, intptr_t line,
    bool is_expected, FAULTLINE_SELF void *test) {
    if (faultline_xctest_failed(test, text, more_text, file, more_file, line)) return;
    record_function record = (record_function)original(FAULTLINE_RECORD);
    record(text, more_text, file, more_file, line, is_expected, test);
}

FAULTLINE_SWIFT void faultline_xctest_fulfill(
    uint64_t file, uint64_t more_file, uint8_t kind, intptr_t line,
    FAULTLINE_SELF void *expectation) __asm__(FAULTLINE_FULFILL);
FAULTLINE_SWIFT void faultline_xctest_fulfill(
    uint64_t file, uint64_t more_file, uint8_t kind, intptr_t line,
    FAULTLINE_SELF void *expectation) {
    fulfill_function fulfill = (fulfill_function)original(FAULTLINE_FULFILL);
    fulfill(file, more_file, kind, line, expectation);
    faultline_xctest_fulfilled();
}
