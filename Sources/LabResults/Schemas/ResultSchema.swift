// Owns the published description of result files; the command `schema` prints it, and a test holds
// every written file against it.

/// The JSON Schema of each kind of result file.
package enum ResultSchema {
    /// The schema (draft 2020-12) of files of a kind.
    package static func text(_ kind: ResultKind) -> String {
        switch kind {
        case .run: run
        case .matrix: matrix
        case .bench: bench
        case .gate: gate
        }
    }

    /// The first two fields of every file.
    static func header(_ kind: ResultKind) -> String {
        """
        {
              "type": "object", "additionalProperties": false,
              "required": ["kind", "formatVersion"],
              "properties": {
                "kind": {"const": "\(kind.rawValue)"},
                "formatVersion": {"const": \(kind.formatVersion)}
              }
            }
        """
    }

    static let transcript = """
        {
              "type": "object", "additionalProperties": false,
              "required": ["id", "title", "token", "text"],
              "properties": {
                "id": {"type": "string"},
                "title": {"type": "string"},
                "token": {"type": "string"},
                "text": {"type": "string"}
              }
            }
        """

    static let verdicts: String = words(Verdict.allCases.map(\.rawValue))

    static let grades: String = words(Grade.allCases.map(\.rawValue))

    private static func words(_ words: [String]) -> String {
        "[" + words.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }
}
