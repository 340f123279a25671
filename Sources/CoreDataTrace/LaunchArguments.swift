import Foundation

/// Core Data's launch arguments, from the command line or the user defaults of a program.
///
/// A new coordinator reads the launch arguments of the process.
package struct LaunchArguments: Sendable, Equatable {
    /// The level of the SQL log: 0 for none, up to ``SQLLog/levelMax``.
    package private(set) var sqlDebug = 0
    /// Whether the use of an object outside its queue is an error; nil if the switch is missing.
    package private(set) var concurrencyDebug: Bool?
    /// Invalid switches, one line each.
    package private(set) var complaints: [String] = []

    package static let process = LaunchArguments(
        arguments: CommandLine.arguments,
        default: { name in
            // `swift test` passes no arguments to the tests, so environment variables with the same
            // names, set by `env`, are read too.
            ProcessInfo.processInfo.environment[name] ?? UserDefaults.standard.string(forKey: name)
        })

    /// - Parameters:
    ///   - arguments: the command line, including `-name value`.
    ///   - default: returns the value of a user default, for a switch that the command line lacks.
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
                "-com.apple.CoreData.SQLDebug \(level) is above the highest level and logs like "
                    + "level \(highest); write 0 to \(highest)")
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
    /// The SQL log that the launch arguments request; nil if they request none.
    ///
    /// The first access creates it, and reports invalid switches on standard error.
    package static let process: SQLLog? = make(LaunchArguments.process, write: writeToStandardError)

    /// Reports the invalid switches, and returns the log that the valid ones request, if any.
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
