#ifndef FAULTLINE_RECORDER_START_H
#define FAULTLINE_RECORDER_START_H

/// Defined by the Swift module that links this one: begins to watch the tests of the process.
///
/// Returns the path that the process's event stream is to go to, or NULL for none; the caller keeps
/// it.
char *faultline_recorder_watch_tests(int count, char **arguments);

#endif
