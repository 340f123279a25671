import Synchronization

/// The name of the running program in help and messages.
package enum ProgramName {
    private static let own = Mutex<String?>(nil)

    package static var text: String { own.withLock { $0 } ?? "faultline" }

    /// Sets the name of a program other than the tool. The caller does this before it parses the
    /// command line.
    package static func set(_ name: String) { own.withLock { $0 = name } }
}
