import Synchronization

/// The name of the running program in help and messages.
package enum ProgramName {
    private static let own = Mutex<String?>(nil)

    /// The tool's name, or the one that was set.
    package static var text: String { own.withLock { $0 } ?? "faultline" }

    /// Sets the name of a program other than the tool. Call it before a command is read.
    package static func set(_ name: String) { own.withLock { $0 = name } }
}
