import LabFiles

extension ResultSchema {
    /// The schema of results of `run`, `explore` and `replay`.
    package static let run = """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "The result of running scenarios",
          "type": "object", "additionalProperties": false,
          "required": ["header", "scenarios"],
          "properties": {
            "header": \(header(.run)),
            "scenarios": {"type": "array", "items": {"$ref": "#/$defs/scenario"}}
          },
          "$defs": {
            "scenario": {
              "type": "object", "additionalProperties": false,
              "required": ["name", "file", "sentence", "references", "cell", "mode", "schedules",
                "outcomes", "findings", "verdict", "reasons", "transcripts"],
              "properties": {
                "name": {"type": "string"},
                "file": {"type": "string"},
                "sentence": {"type": "string"},
                "references": {"type": "array", "items": {"type": "string"}},
                "cell": {"type": "array", "items": {"$ref": "#/$defs/axisValue"}},
                "mode": {"enum": ["run", "explore", "replay"]},
                "schedules": {"$ref": "#/$defs/schedules"},
                "outcomes": {"type": "array", "items": {"$ref": "#/$defs/outcome"}},
                "findings": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
                "verdict": {"enum": \(verdicts)},
                "reasons": {"type": "array", "items": {"type": "string"}},
                "transcripts": {"type": "array", "items": {"$ref": "#/$defs/transcript"}},
                "record": {"$ref": "#/$defs/record"}
              }
            },
            "axisValue": {
              "type": "object", "additionalProperties": false, "required": ["axis", "value"],
              "properties": {"axis": {"type": "string"}, "value": {"type": "string"}}
            },
            "schedules": {
              "type": "object", "additionalProperties": false,
              "required": ["explored", "strategy"],
              "properties": {
                "predicted": {"type": "integer", "minimum": 0},
                "explored": {"type": "integer", "minimum": 0},
                "strategy": {"type": "string"},
                "stoppedAt": {"type": "string"},
                "represented": {"type": "integer", "minimum": 0},
                "shard": {"type": "string"}
              }
            },
            "outcome": {
              "type": "object", "additionalProperties": false,
              "required": ["observed", "grade", "reason", "count", "findings"],
              "properties": {
                "observed": {"type": "array", "items": {"$ref": "#/$defs/observation"}},
                "grade": {"enum": \(grades)},
                "reason": {"type": "string"},
                "count": {"type": "integer", "minimum": 0},
                "token": {"type": "string"},
                "transcript": {"type": "string"},
                "findings": {"type": "array", "items": {"type": "string"}}
              }
            },
            "observation": {
              "type": "object", "additionalProperties": false, "required": ["name", "value"],
              "properties": {"name": {"type": "string"}, "value": {"type": "string"}}
            },
            "finding": {
              "type": "object", "additionalProperties": false,
              "required": ["id", "name", "prose", "evidence"],
              "properties": {
                "id": {"type": "string"},
                "name": {"type": "string"},
                "adya": {"type": "string"},
                "prose": {"type": "string"},
                "evidence": {"type": "array", "items": {"type": "string"}},
                "step": {"type": "string"},
                "cycle": {
                  "type": "object", "additionalProperties": false, "required": ["title", "links"],
                  "properties": {
                    "title": {"type": "string"},
                    "links": {"type": "array", "items": {"type": "string"}}
                  }
                },
                "token": {"type": "string"},
                "transcript": {"type": "string"}
              }
            },
            "transcript": \(transcript),
            \(record)
          }
        }

        """

    private static let record = """
        "record": {
              "type": "object", "additionalProperties": false,
              "required": ["hash", "asksForLess", "isUndivided", "explored", "end", "outcomes",
                "findings", "locks"],
              "properties": {
                "hash": {"type": "string"},
                "asksForLess": {"type": "boolean"},
                "isUndivided": {"type": "boolean"},
                "explored": {"type": "integer", "minimum": 0},
                "represented": {"type": "integer", "minimum": 0},
                "end": {"type": "string"},
                "outcomes": {"type": "array", "items": {"$ref": "#/$defs/rankedOutcome"}},
                "findings": {"type": "array", "items": {"$ref": "#/$defs/rankedFinding"}},
                "locks": {"type": "array", "items": {"$ref": "#/$defs/rankedLock"}},
                "unrepeatable": {"$ref": "#/$defs/rankedSchedule"}
              }
            },
            "rankedSchedule": {
              "type": "object", "additionalProperties": false, "required": ["rank", "lanes"],
              "properties": {
                "rank": {"type": "array", "items": {"type": "integer"}},
                "lanes": {"type": "array", "items": {"type": "integer"}}
              }
            },
            "rankedOutcome": {
              "type": "object", "additionalProperties": false,
              "required": ["count", "findings", "first"],
              "properties": {
                "count": {"type": "integer", "minimum": 0},
                "findings": {"type": "array", "items": {"type": "string"}},
                "first": {"$ref": "#/$defs/rankedSchedule"},
                "telling": {"$ref": "#/$defs/rankedSchedule"}
              }
            },
            "rankedFinding": {
              "type": "object", "additionalProperties": false,
              "required": ["name", "step", "first"],
              "properties": {
                "name": {"type": "string"},
                "step": {"type": "string"},
                "first": {"$ref": "#/$defs/rankedSchedule"}
              }
            },
            "rankedLock": {
              "type": "object", "additionalProperties": false,
              "required": ["held", "wanted", "thread", "stack", "guards", "first"],
              "properties": {
                "held": {"type": "string"},
                "wanted": {"type": "string"},
                "thread": {"type": "string"},
                "stack": {"type": "array", "items": {"type": "string"}},
                "guards": {"type": "array", "items": {"type": "string"}},
                "first": {"$ref": "#/$defs/rankedSchedule"}
              }
            }
        """
}
