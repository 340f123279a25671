#ifndef FAULTLINE_RECORDER_START_H
#define FAULTLINE_RECORDER_START_H

/// Starts the recorder for the tests of the process. The Swift module that links this C module
/// defines the function.
///
/// Returns the path for the process's event stream, or NULL for none; the caller owns it.
char *faultline_recorder_watch_tests(int count, char **arguments);

#endif
