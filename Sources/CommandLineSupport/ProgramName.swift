import Synchronization

/// The name of the running program in help and messages.
package enum ProgramName {
    private static let own = Mutex<String?>(nil)

    /// The name that was set, or else the tool's name.
    package static var text: String { own.withLock { $0 } ?? "faultline" }

    /// Sets the name of a program other than the tool. Call it before the command line is parsed.
    package static func set(_ name: String) { own.withLock { $0 = name } }
}
