/// The command line that replays a schedule. Reports print it for each token.
package enum ReplayLine {
    /// The folder in which `replay` searches if the command line names no file.
    private static let searched = "Scenarios/"

    /// The command line that replays a schedule. For a scenario without a file, a call in Swift.
    ///
    /// - Parameter file: the scenario's file; empty if the scenario is written in Swift.
    package static func text(_ token: String, file: String) -> String {
        if file.isEmpty { return "try Lab.replay(\"\(token)\", scenario)" }
        let line = "./faultline replay \(quoted(token))"
        if file.hasPrefix(searched), !file.contains("..") { return line }
        return "\(line) --in \(file.allSatisfy(isPlain) ? file : quoted(file))"
    }

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
    package func replayLine(_ token: String) -> String { ReplayLine.text(token, file: file) }
}

extension MatrixResult {
    package func replayLine(_ transcript: Transcript) -> String {
        let row = rows.first { $0.cells.contains { $0.transcript == transcript.id } }
        return ReplayLine.text(transcript.token, file: row?.file ?? "")
    }
}
