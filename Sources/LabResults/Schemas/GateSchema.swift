extension ResultSchema {
    /// What `gate` and `compare` write.
    static let gate = """
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
            "missing": {"type": "array", "items": {"type": "string"}}
          },
          "$defs": {
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
                "message": {"type": "string"}
              }
            }
          }
        }

        """
}
