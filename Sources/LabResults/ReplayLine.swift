/// The command line that runs one schedule again. Reports print it with the schedule's token.
package enum ReplayLine {
    /// The folder that `replay` searches if the command line names no file.
    private static let searched = "Scenarios/"

    /// Returns a command line, or a Swift call if the scenario is written in Swift.
    ///
    /// - Parameter file: the file of the scenario; empty for one in Swift.
    package static func text(_ token: String, file: String) -> String {
        if file.isEmpty { return "try Lab.replay(\"\(token)\", scenario)" }
        let line = "./faultline replay \(quoted(token))"
        if file.hasPrefix(searched), !file.contains("..") { return line }
        return "\(line) --in \(file.allSatisfy(isPlain) ? file : quoted(file))"
    }

    /// The text, quoted as one word for a shell.
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
    /// The line that runs one of the scenario's schedules again.
    package func replayLine(_ token: String) -> String { ReplayLine.text(token, file: file) }
}

extension MatrixResult {
    /// The line that runs the schedule of a transcript again.
    package func replayLine(_ transcript: Transcript) -> String {
        let row = rows.first { $0.cells.contains { $0.transcript == transcript.id } }
        return ReplayLine.text(transcript.token, file: row?.file ?? "")
    }
}
