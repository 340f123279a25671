/// The JSON Schema of each kind of result file. The command `schema` prints it.
package enum ResultSchema {
    /// The schema (draft 2020-12) of one kind of result file.
    package static func text(_ kind: ResultKind) -> String {
        switch kind {
        case .run: run
        case .matrix: matrix
        case .bench: bench
        case .gate: gate
        case .sql: sql
        case .fetch: fetch
        case .torture: torture
        }
    }

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
                "text": {"type": "string"},
                "timeline": \(timeline)
              }
            }
        """

    private static let timeline = """
        {
              "type": "object", "additionalProperties": false,
              "required": ["lanes", "start", "steps"],
              "properties": {
                "lanes": {"type": "array", "items": {
                  "type": "object", "additionalProperties": false,
                  "required": ["kind", "name", "detail"],
                  "properties": {
                    "kind": {"enum": \(words(Timeline.Lane.Kind.allCases.map(\.rawValue)))},
                    "name": {"type": "string"},
                    "detail": {"type": "string"}
                  }
                }},
                "start": {"type": "array", "items": \(items)},
                "steps": {"type": "array", "items": {
                  "type": "object", "additionalProperties": false,
                  "required": ["name", "lane", "lines", "sql", "changes"],
                  "properties": {
                    "name": {"type": "string"},
                    "lane": {"type": "integer", "minimum": 0},
                    "session": {"type": "string"},
                    "lines": {"type": "array", "items": {
                      "type": "object", "additionalProperties": false,
                      "required": ["text", "isDetail"],
                      "properties": {
                        "text": {"type": "string"},
                        "isDetail": {"type": "boolean"}
                      }
                    }},
                    "sql": {"type": "array", "items": {"type": "string"}},
                    "changes": {"type": "array", "items": {
                      "type": "object", "additionalProperties": false,
                      "required": ["lane", "items"],
                      "properties": {
                        "lane": {"type": "integer", "minimum": 0},
                        "items": \(items)
                      }
                    }}
                  }
                }}
              }
            }
        """

    private static let items = """
        {"type": "array", "items": {
              "type": "object", "additionalProperties": false,
              "required": ["name", "mark", "values"],
              "properties": {
                "name": {"type": "string"},
                "mark": {"type": "string"},
                "values": {"type": "array", "items": {"type": "string"}}
              }
            }}
        """

    static let marks: String = words(MatrixVariant.Mark.allCases.map(\.rawValue))

    static let verdicts: String = words(Verdict.allCases.map(\.rawValue))

    static let grades: String = words(Grade.allCases.map(\.rawValue))

    private static func words(_ words: [String]) -> String {
        "[" + words.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }
}
