/// The line that runs one schedule again, ready to paste.
///
/// Everything that prints a token for people prints it by this.
package enum ReplayLine {
    /// Where `replay` looks for a scenario that it is told no file of.
    private static let searched = "Scenarios/"

    /// A command, or for a scenario that was written in Swift the call that a test makes.
    ///
    /// - Parameter file: the file of the scenario; empty for one in Swift.
    package static func text(_ token: String, file: String) -> String {
        if file.isEmpty { return "try Lab.replay(\"\(token)\", scenario)" }
        let line = "./faultline replay \(quoted(token))"
        if file.hasPrefix(searched), !file.contains("..") { return line }
        return "\(line) --in \(file.allSatisfy(isPlain) ? file : quoted(file))"
    }

    /// Text as a shell takes it for one word.
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
