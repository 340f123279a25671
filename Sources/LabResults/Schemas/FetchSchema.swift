extension ResultSchema {
    /// What `fetch` writes.
    static let fetch = """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "One fetch in several ways",
          "type": "object", "additionalProperties": false,
          "required": ["header", "store", "entity", "rowsInStore", "request", "rounds", "build",
            "strategies", "notes"],
          "properties": {
            "header": \(header(.fetch)),
            "store": {"type": "string"},
            "entity": {"type": "string"},
            "rowsInStore": {"type": "integer"},
            "request": {"type": "array", "items": {"type": "string"}},
            "rounds": {"type": "integer"},
            "build": {"enum": ["release", "debug"]},
            "strategies": {"type": "array", "items": {"$ref": "#/$defs/strategy"}},
            "notes": {"type": "array", "items": {"type": "string"}}
          },
          "$defs": {
            "strategy": {
              "type": "object", "additionalProperties": false,
              "required": ["name", "sentence", "results", "statementTotal", "rows", "vmSteps",
                "faults", "fetchNanoseconds", "totalNanoseconds", "worstNanoseconds",
                "statements"],
              "properties": {
                "name": {"type": "string"},
                "sentence": {"type": "string"},
                "results": {"type": "integer"},
                "statementTotal": {"type": "integer"},
                "rows": {"type": "integer"},
                "vmSteps": {"type": "integer"},
                "faults": {"type": "integer"},
                "fetchNanoseconds": {"type": "integer"},
                "totalNanoseconds": {"type": "integer"},
                "worstNanoseconds": {"type": "integer"},
                "statements": {"type": "array", "items": {"$ref": "#/$defs/statement"}}
              }
            },
            "statement": {
              "type": "object", "additionalProperties": false,
              "required": ["text", "count", "rows", "nanoseconds", "bindings", "plan"],
              "properties": {
                "text": {"type": "string"},
                "count": {"type": "integer"},
                "rows": {"type": "integer"},
                "nanoseconds": {"type": "integer"},
                "bindings": {"type": "array", "items": {"type": "string"}},
                "plan": {"type": "array", "items": {"type": "string"}}
              }
            }
          }
        }

        """
}
