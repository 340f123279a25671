import LabFiles

extension ResultSchema {
    package static let torture = """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "The results of a stress-test campaign against the engine",
          "type": "object", "additionalProperties": false,
          "required": ["header", "preset", "seed", "parts"],
          "properties": {
            "header": \(header(.torture)),
            "preset": {"type": "string"},
            "seed": {"type": "integer", "minimum": 0},
            "timeBudgetSeconds": {"type": "number", "minimum": 0},
            "parts": {"type": "array", "items": {
              "type": "object", "additionalProperties": false,
              "required": ["name", "planned", "completed", "seconds", "counts", "failures"],
              "properties": {
                "name": {"type": "string"},
                "planned": {"type": "integer", "minimum": 0},
                "completed": {"type": "integer", "minimum": 0},
                "floor": {"type": "integer", "minimum": 0},
                "endedByTime": {"type": "boolean"},
                "seconds": {"type": "number", "minimum": 0},
                "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
                "failures": {"type": "array", "items": {
                  "type": "object", "additionalProperties": false,
                  "required": ["attempt", "what"],
                  "properties": {
                    "attempt": {"type": "integer", "minimum": 0},
                    "what": {"type": "string"},
                    "input": {"type": "string"}
                  }
                }}
              }
            }}
          }
        }

        """
}
