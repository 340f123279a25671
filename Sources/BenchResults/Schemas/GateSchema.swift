import LabFiles

extension ResultSchema {
    /// The schema of results of `gate` and `compare`.
    package static let gate = """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "The verdict of a gate",
          "type": "object", "additionalProperties": false,
          "required": ["header", "status", "baseline", "compared", "differences", "missing"],
          "properties": {
            "header": \(header(.gate)),
            "status": {"enum": ["passed", "failed", "inconclusive"]},
            "baseline": {"type": "string"},
            "compared": {"type": "integer", "minimum": 0},
            "differences": {"type": "array", "items": {"$ref": "#/$defs/difference"}},
            "missing": {"type": "array", "items": {"type": "string"}},
            "times": {"type": "array", "items": {"$ref": "#/$defs/time"}},
            "unconfirmed": {"type": "array", "items": {"type": "string"}},
            "subjects": {"type": "array", "items": {"$ref": "#/$defs/subject"}},
            "added": {"type": "array", "items": {"type": "string"}}
          },
          "$defs": {
            "time": {
              "type": "object", "additionalProperties": false,
              "required": ["workload", "strategy", "metric", "ratio", "chance", "threshold",
                "verdict"],
              "properties": {
                "workload": {"type": "string"},
                "strategy": {"type": "string"},
                "metric": {"enum": ["time", "ratio-to-c", "ratio-to-yardstick"]},
                "ratio": {
                  "type": "object", "additionalProperties": false,
                  "required": ["median", "low", "high"],
                  "properties": {
                    "median": {"type": "number"},
                    "low": {"type": "number"},
                    "high": {"type": "number"}
                  }
                },
                "chance": {"type": "number"},
                "threshold": {"type": "number"},
                "verdict": {"enum": ["improved", "regressed", "same", "unresolved"]}
              }
            },
            "subject": {
              "type": "object", "additionalProperties": false,
              "required": ["workload", "strategy", "file", "figures"],
              "properties": {
                "workload": {"type": "string"},
                "strategy": {"type": "string"},
                "file": {"type": "string"},
                "line": {"type": "integer"},
                "nanoseconds": {"type": "integer"},
                "figures": {"type": "array", "items": {"type": "string"}}
              }
            },
            "difference": {
              "type": "object", "additionalProperties": false,
              "required": ["effect", "workload", "strategy", "metric", "baseline", "current",
                "statements", "message"],
              "properties": {
                "effect": {"enum": ["regression", "improvement", "change"]},
                "workload": {"type": "string"},
                "strategy": {"type": "string"},
                "metric": {"type": "string"},
                "baseline": {"type": "string"},
                "current": {"type": "string"},
                "statements": {"type": "array", "items": {"type": "string"}},
                "shapes": {"type": "array", "items": {"type": "string"}},
                "message": {"type": "string"}
              }
            }
          }
        }

        """
}
