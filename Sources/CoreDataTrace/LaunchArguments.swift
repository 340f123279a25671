import Foundation

/// Core Data's switches as a program was started with them, or as its user defaults have them.
///
/// Coordinators read the process's ones when they are made.
package struct LaunchArguments: Sendable, Equatable {
    /// How much SQL to log: 0 for none, up to ``SQLLog/levelMax``.
    package private(set) var sqlDebug = 0
    /// Whether use of an object off its queue is an error; nil where nothing was said.
    package private(set) var concurrencyDebug: Bool?
    /// What was asked for and cannot be had, one line each.
    package private(set) var complaints: [String] = []

    /// The switches of this process.
    package static let process = LaunchArguments(
        arguments: CommandLine.arguments,
        default: { name in
            // `swift test` passes no arguments on; `env` sets variables of such names.
            ProcessInfo.processInfo.environment[name] ?? UserDefaults.standard.string(forKey: name)
        })

    /// - Parameters:
    ///   - arguments: the command line, `-name value` among others.
    ///   - default: the value of a user default, asked where the command line has none.
    package init(arguments: [String], default: (String) -> String?) {
        func value(_ name: String) -> String? {
            let name = "com.apple.CoreData.\(name)"
            guard let index = arguments.lastIndex(of: "-\(name)") else { return `default`(name) }
            return index + 1 < arguments.count ? arguments[index + 1] : ""
        }
        if let text = value("SQLDebug") { readSQLDebug(text) }
        if let text = value("ConcurrencyDebug") { readConcurrencyDebug(text) }
    }

    private mutating func readSQLDebug(_ text: String) {
        let highest = SQLLog.levelMax
        switch Int(text) {
        case let level? where (0...highest).contains(level): sqlDebug = level
        case let level? where level > highest:
            sqlDebug = highest
            complaints.append(
                "-com.apple.CoreData.SQLDebug \(level) is higher than any level and logs as "
                    + "\(highest) does; write 0 to \(highest)")
        default:
            complaints.append(
                "-com.apple.CoreData.SQLDebug '\(text)' is not a level; write 0 to \(highest)")
        }
    }

    private mutating func readConcurrencyDebug(_ text: String) {
        switch text {
        case "0": concurrencyDebug = false
        case "1": concurrencyDebug = true
        default:
            complaints.append(
                "-com.apple.CoreData.ConcurrencyDebug '\(text)' is not a level; write 1 or 0")
        }
    }
}

extension SQLLog {
    /// The log that this process was started with; nil where it was not asked for.
    ///
    /// Made once: what cannot be had is said on the standard error at that time.
    package static let process: SQLLog? = make(LaunchArguments.process, write: writeToStandardError)

    /// The log that the switches ask for, after their complaints.
    package static func make(
        _ switches: LaunchArguments, write: @escaping @Sendable (String) -> Void
    ) -> SQLLog? {
        for complaint in switches.complaints { write("CoreData: error: \(complaint)") }
        if switches.concurrencyDebug == true {
            write("CoreData: annotation: Core Data multi-threading assertions enabled.")
        }
        return switches.sqlDebug > 0 ? SQLLog(level: switches.sqlDebug, write: write) : nil
    }
}
