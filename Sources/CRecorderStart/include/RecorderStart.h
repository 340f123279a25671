#ifndef FAULTLINE_RECORDER_START_H
#define FAULTLINE_RECORDER_START_H

/// Defined by the Swift module that links this one: begins to watch the tests of the process.
void faultline_recorder_watch_tests(void);

#endif
