import LabFiles

extension ResultSchema {
    package static let matrix = """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Scenarios by the values of one axis",
          "type": "object", "additionalProperties": false,
          "required": ["header", "title", "axis", "columns", "rows", "transcripts"],
          "properties": {
            "header": \(header(.matrix)),
            "title": {"type": "string"},
            "axis": {"type": "string"},
            "columns": {"type": "array", "items": {"$ref": "#/$defs/column"}},
            "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
            "transcripts": {"type": "array", "items": {"$ref": "#/$defs/transcript"}},
            "variants": {"type": "array", "items": {"$ref": "#/$defs/variant"}}
          },
          "$defs": {
            "column": {
              "type": "object", "additionalProperties": false, "required": ["id", "title"],
              "properties": {"id": {"type": "string"}, "title": {"type": "string"}}
            },
            "row": {
              "type": "object", "additionalProperties": false,
              "required": ["id", "scenario", "file", "sentence", "references", "cells"],
              "properties": {
                "id": {"type": "string"},
                "scenario": {"type": "string"},
                "file": {"type": "string"},
                "sentence": {"type": "string"},
                "references": {"type": "array", "items": {"type": "string"}},
                "cells": {"type": "array", "items": {"$ref": "#/$defs/cell"}}
              }
            },
            "variant": {
              "type": "object", "additionalProperties": false,
              "required": ["topology", "store", "rows"],
              "properties": {
                "topology": {"type": "string"},
                "store": {"type": "string"},
                "sample": {"type": "integer", "minimum": 1},
                "rows": {"type": "array", "items": {
                  "type": "object", "additionalProperties": false, "required": ["id", "cells"],
                  "properties": {
                    "id": {"type": "string"},
                    "cells": {"type": "array", "items": {
                      "type": "object", "additionalProperties": false,
                      "required": ["mark", "text"],
                      "properties": {"mark": {"enum": \(marks)}, "text": {"type": "string"}}
                    }}
                  }
                }}
              }
            },
            "cell": {
              "type": "object", "additionalProperties": false,
              "required": ["classification", "text", "reason", "verdict"],
              "properties": {
                "classification": {"$ref": "#/$defs/classification"},
                "text": {"type": "string"},
                "reason": {"type": "string"},
                "cycle": {"type": "string"},
                "token": {"type": "string"},
                "transcript": {"type": "string"},
                "verdict": {"enum": \(verdicts)},
                "loss": {
                  "type": "object", "additionalProperties": false, "required": ["text"],
                  "properties": {"text": {"type": "string"}, "token": {"type": "string"}}
                }
              }
            },
            "classification": {
              "type": "object", "additionalProperties": false, "required": ["kind"],
              "properties": {
                "kind": {
                  "enum": [
                    "prevented", "silently-lost", "silently-wrong", "error", "correct", "skipped"
                  ]
                },
                "how": {"type": "string"},
                "code": {"type": "integer"},
                "why": {"type": "string"}
              }
            },
            "transcript": \(transcript)
          }
        }

        """
}
