import LabFiles

/// The parts that several schemas share.
extension ResultSchema {
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
                    "loss": {
                      "type": "object", "additionalProperties": false, "required": ["share"],
                      "properties": {
                        "share": {"type": "number", "minimum": 0, "maximum": 1},
                        "low": {"type": "number", "minimum": 0, "maximum": 1},
                        "high": {"type": "number", "minimum": 0, "maximum": 1}
                      }
                    },
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
