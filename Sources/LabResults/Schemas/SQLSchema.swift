import LabFiles

extension ResultSchema {
    package static let sql = """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "The analysis of an SQLDebug log",
          "type": "object", "additionalProperties": false,
          "required": ["header", "log", "totals", "shapes", "findings", "notes", "limits"],
          "properties": {
            "header": \(header(.sql)),
            "log": {"type": "string"},
            "totals": {"$ref": "#/$defs/totals"},
            "shapes": {"type": "array", "items": {"$ref": "#/$defs/shape"}},
            "findings": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
            "notes": {"type": "array", "items": {"type": "string"}},
            "comparison": {"$ref": "#/$defs/comparison"},
            "limits": {"type": "array", "items": {"$ref": "#/$defs/limit"}}
          },
          "$defs": {
            "totals": \(totals),
            "shape": \(shape),
            "finding": \(finding),
            "comparison": \(comparison),
            "limit": {
              "type": "object", "additionalProperties": false,
              "required": ["name", "limit", "seen"],
              "properties": {
                "name": {"type": "string"},
                "limit": {"type": "number"},
                "seen": {"type": "number"}
              }
            }
          }
        }

        """

    private static let totals = """
        {
              "type": "object", "additionalProperties": false,
              "required": ["lines", "otherLines", "statements", "selects", "writes", "rows",
                "nanoseconds", "transactions", "faults", "threads", "truncated"],
              "properties": {
                "lines": {"type": "integer"},
                "otherLines": {"type": "integer"},
                "statements": {"type": "integer"},
                "selects": {"type": "integer"},
                "writes": {"type": "integer"},
                "rows": {"type": "integer"},
                "nanoseconds": {"type": "integer"},
                "transactions": {"type": "integer"},
                "spanNanoseconds": {"type": "integer"},
                "transactionsPerSecond": {"type": "number"},
                "faults": {"type": "integer"},
                "threads": {"type": "integer"},
                "truncated": {"type": "integer"}
              }
            }
        """

    private static let shape = """
        {
              "type": "object", "additionalProperties": false,
              "required": ["kind", "text", "entity", "count", "rows", "rowsKnown", "nanoseconds",
                "timesKnown", "worstNanoseconds", "line", "isTruncated", "plan"],
              "properties": {
                "kind": {"type": "string"},
                "text": {"type": "string"},
                "entity": {"type": "string"},
                "count": {"type": "integer"},
                "rows": {"type": "integer"},
                "rowsKnown": {"type": "integer"},
                "nanoseconds": {"type": "integer"},
                "timesKnown": {"type": "integer"},
                "worstNanoseconds": {"type": "integer"},
                "line": {"type": "integer"},
                "isTruncated": {"type": "boolean"},
                "plan": {"type": "array", "items": {"type": "string"}}
              }
            }
        """

    private static let finding = """
        {
              "type": "object", "additionalProperties": false,
              "required": ["kind", "title", "statements", "nanoseconds", "lines", "advice",
                "keyPaths", "plan"],
              "properties": {
                "kind": {"enum": ["n-plus-one", "missing-prefetch", "repeated-fault",
                  "repeated-fetch", "unbounded-fetch", "missing-index", "small-transactions",
                  "large-list", "count-by-fetch"]},
                "title": {"type": "string"},
                "statements": {"type": "integer"},
                "nanoseconds": {"type": "integer"},
                "lines": {"type": "array", "items": {"type": "integer"}},
                "origin": {
                  "type": "object", "additionalProperties": false,
                  "required": ["line", "entity", "text"],
                  "properties": {
                    "line": {"type": "integer"},
                    "entity": {"type": "string"},
                    "rows": {"type": "integer"},
                    "text": {"type": "string"}
                  }
                },
                "advice": {"type": "string"},
                "code": {"type": "string"},
                "keyPaths": {"type": "array", "items": {"type": "string"}},
                "statement": {"type": "string"},
                "plan": {"type": "array", "items": {"type": "string"}}
              }
            }
        """

    private static let comparison = """
        {
              "type": "object", "additionalProperties": false,
              "required": ["before", "totals", "changes", "appeared", "vanished"],
              "properties": {
                "before": {"type": "string"},
                "totals": {"$ref": "#/$defs/totals"},
                "changes": {"type": "array", "items": {
                  "type": "object", "additionalProperties": false,
                  "required": ["kind", "text", "before", "after", "nanosecondsBefore",
                    "nanosecondsAfter"],
                  "properties": {
                    "kind": {"type": "string"},
                    "text": {"type": "string"},
                    "before": {"type": "integer"},
                    "after": {"type": "integer"},
                    "nanosecondsBefore": {"type": "integer"},
                    "nanosecondsAfter": {"type": "integer"}
                  }
                }},
                "appeared": {"type": "array", "items": {"type": "string"}},
                "vanished": {"type": "array", "items": {"type": "string"}}
              }
            }
        """
}
