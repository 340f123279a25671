/// The command line that replays a schedule. Reports print it for each token.
package enum ReplayLine {
    /// The folder that `replay` searches if the command line names no file.
    private static let searched = "Scenarios/"

    /// Returns the command line that replays a schedule, or a call in Swift code for a scenario
    /// without a file.
    ///
    /// - Parameter file: the scenario's file; empty for a scenario that is written in Swift.
    package static func text(_ token: String, file: String) -> String {
        if file.isEmpty { return "try Lab.replay(\"\(token)\", scenario)" }
        let line = "./faultline replay \(quoted(token))"
        if file.hasPrefix(searched), !file.contains("..") { return line }
        return "\(line) --in \(file.allSatisfy(isPlain) ? file : quoted(file))"
    }

    /// Quotes the text as one word for a shell.
    private static func quoted(_ text: String) -> String {
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber)
            || "/._-+@%,=:".contains(character)
    }
}

extension ScenarioResult {
    /// The command line that replays one of the scenario's schedules.
    package func replayLine(_ token: String) -> String { ReplayLine.text(token, file: file) }
}

extension MatrixResult {
    /// The command line that replays the schedule of a transcript.
    package func replayLine(_ transcript: Transcript) -> String {
        let row = rows.first { $0.cells.contains { $0.transcript == transcript.id } }
        return ReplayLine.text(transcript.token, file: row?.file ?? "")
    }
}
