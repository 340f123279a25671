/// The system's error numbers (`errno`) that callers distinguish. They are declared here, because
/// this module imports no C library.
package enum SystemError {
    package static let noSuchFile: Int32 = 2
    package static let notAFolder: Int32 = 20
}
