import CRecorderStart
import FaultlineRecorder

/// Called before `main` where `FAULTLINE_RECORD` is set.
@_cdecl("faultline_recorder_watch_tests")
package func watchTests() {
    _ = EnvironmentRecorder.start()
}
