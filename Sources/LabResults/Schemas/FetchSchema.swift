import LabFiles

extension ResultSchema {
    package static let fetch = """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "One fetch in several variants",
          "type": "object", "additionalProperties": false,
          "required": ["header", "store", "entity", "rowsInStore", "request", "rounds", "build",
            "strategies", "verdict", "notes"],
          "properties": {
            "header": \(header(.fetch)),
            "store": {"type": "string"},
            "entity": {"type": "string"},
            "rowsInStore": {"type": "integer"},
            "request": {"type": "array", "items": {"type": "string"}},
            "rounds": {"type": "integer"},
            "build": {"enum": ["release", "debug"]},
            "strategies": {"type": "array", "items": {"$ref": "#/$defs/strategy"}},
            "verdict": \(verdict),
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

    private static let verdict = """
        {
              "type": "object", "additionalProperties": false,
              "required": ["choices", "code"],
              "properties": {
                "choices": {"type": "array", "items": {
                  "type": "object", "additionalProperties": false,
                  "required": ["purpose", "ways", "reason", "code"],
                  "properties": {
                    "purpose": {"type": "string"},
                    "ways": {"type": "array", "items": {"type": "string"}},
                    "reason": {"type": "string"},
                    "code": {"type": "array", "items": {"type": "string"}}
                  }
                }},
                "index": {
                  "type": "object", "additionalProperties": false,
                  "required": ["entity", "attributes", "reason", "code", "planBefore",
                    "planAfter", "vmStepsBefore", "vmStepsAfter", "nanosecondsBefore",
                    "nanosecondsAfter"],
                  "properties": {
                    "entity": {"type": "string"},
                    "attributes": {"type": "array", "items": {"type": "string"}},
                    "others": {"type": "array",
                      "items": {"type": "array", "items": {"type": "string"}}},
                    "reason": {"type": "string"},
                    "code": {"type": "array", "items": {"type": "string"}},
                    "planBefore": {"type": "array", "items": {"type": "string"}},
                    "planAfter": {"type": "array", "items": {"type": "string"}},
                    "vmStepsBefore": {"type": "integer"},
                    "vmStepsAfter": {"type": "integer"},
                    "nanosecondsBefore": {"type": "integer"},
                    "nanosecondsAfter": {"type": "integer"}
                  }
                },
                "code": {"type": "array", "items": {"type": "string"}}
              }
            }
        """
}
