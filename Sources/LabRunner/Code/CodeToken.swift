import LabSchedule

/// Writes the tokens of schedules of code.
enum CodeToken {
    /// - Parameters:
    ///   - name: the name of the exploration.
    ///   - sessions: the names of the sessions, which identify the code.
    ///   - steps: the words of the steps.
    static func text(_ name: String, sessions: [String], steps: [String]) -> String {
        ScheduleToken(
            scenario: name.replacing(":", with: "-"), hash: hash(of: sessions), cell: "-",
            steps: steps
        ).description
    }

    /// A hash of the names of the sessions, as eight hexadecimal digits.
    private static func hash(of sessions: [String]) -> String {
        let sum = sessions.joined(separator: "\n").utf8.reduce(
            UInt32(0x811C_9DC5)
        ) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
