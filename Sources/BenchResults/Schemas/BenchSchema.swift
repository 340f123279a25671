import LabFiles

extension ResultSchema {
    package static let bench = """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "The result of measuring workloads",
          "type": "object", "additionalProperties": false,
          "required": ["header", "preset", "seed", "environment", "results"],
          "properties": {
            "header": \(header(.bench)),
            "preset": {"type": "string"},
            "seed": {"type": "integer", "minimum": 0},
            "environment": {"$ref": "#/$defs/environment"},
            "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
            "failures": {
              "type": "array",
              "items": {
                "type": "object", "additionalProperties": false,
                "required": ["workload", "strategy", "file", "problem"],
                "properties": {
                  "workload": {"type": "string"},
                  "strategy": {"type": "string"},
                  "file": {"type": "string"},
                  "line": {"type": "integer"},
                  "problem": {"type": "string"}
                }
              }
            },
            "warnings": {"type": "array", "items": {"type": "string"}},
            "yardstick": {"$ref": "#/$defs/timing"},
            "origin": {
              "type": "object", "additionalProperties": false,
              "required": ["commit", "subject", "committed", "measured", "isChanged"],
              "properties": {
                "commit": {"type": "string"},
                "subject": {"type": "string"},
                "committed": {"type": "string"},
                "measured": {"type": "string"},
                "isChanged": {"type": "boolean"}
              }
            },
            "timeBudget": {
              "type": "object", "additionalProperties": false,
              "required": ["seconds", "spentSeconds", "floor", "most"],
              "properties": {
                "seconds": {"type": "number"},
                "spentSeconds": {"type": "number"},
                "floor": {"type": "integer"},
                "most": {"type": "integer"}
              }
            }
          },
          "$defs": {
            "environment": {
              "type": "object", "additionalProperties": false,
              "required": ["machine", "cpu", "cores", "memoryBytes", "operatingSystem", "swift",
                "sqlite", "build"],
              "properties": {
                "machine": {"type": "string"},
                "cpu": {"type": "string"},
                "cores": {"type": "integer"},
                "memoryBytes": {"type": "integer"},
                "operatingSystem": {"type": "string"},
                "swift": {"type": "string"},
                "sqlite": {"type": "string"},
                "build": {"type": "string"}
              }
            },
            "result": {
              "type": "object", "additionalProperties": false,
              "required": ["workload", "file", "sentence", "parameters", "strategies"],
              "properties": {
                "workload": {"type": "string"},
                "file": {"type": "string"},
                "line": {"type": "integer"},
                "sentence": {"type": "string"},
                "parameters": {"type": "array", "items": {"$ref": "#/$defs/parameter"}},
                "strategies": {"type": "array", "items": {"$ref": "#/$defs/strategy"}},
                "figures": {"type": "array", "items": {"$ref": "#/$defs/figure"}}
              }
            },
            "parameter": {
              "type": "object", "additionalProperties": false, "required": ["name", "value"],
              "properties": {"name": {"type": "string"}, "value": {"type": "string"}}
            },
            "strategy": {
              "type": "object", "additionalProperties": false,
              "required": ["name", "sentence", "counts", "statements", "checksum", "expectations",
                "notes"],
              "properties": {
                "name": {"type": "string"},
                "sentence": {"type": "string"},
                "counts": {"$ref": "#/$defs/counts"},
                "statements": {"type": "array", "items": {"$ref": "#/$defs/statement"}},
                "time": {"$ref": "#/$defs/timing"},
                "peakMemoryBytes": {"type": "integer"},
                "twin": {"$ref": "#/$defs/twin"},
                "checksum": {"type": "string"},
                "expectations": {"type": "array", "items": {"$ref": "#/$defs/expectation"}},
                "notes": {"type": "array", "items": {"type": "string"}},
                "figures": {"type": "array", "items": {"$ref": "#/$defs/figure"}},
                "peers": {"type": "array", "items": {"$ref": "#/$defs/peer"}},
                "scaling": {"$ref": "#/$defs/scaling"},
                "countsVary": {"type": "boolean"}
              }
            },
        \(figures),
        \(besides)
          }
        }

        """

    private static let figures = """
            "counts": {
              "type": "object", "additionalProperties": false,
              "required": ["statements", "rows", "vmSteps", "faults", "rowCacheHits",
                "relationshipFaults", "prefetches"],
              "properties": {
                "statements": {"type": "object", "additionalProperties": {"type": "integer"}},
                "rows": {"type": "integer"},
                "vmSteps": {"type": "integer"},
                "faults": {"type": "integer"},
                "rowCacheHits": {"type": "integer"},
                "relationshipFaults": {"type": "integer"},
                "prefetches": {"type": "integer"},
                "allocations": {"type": "integer"},
                "allocatedBytes": {"type": "integer"}
              }
            },
            "statement": {
              "type": "object", "additionalProperties": false,
              "required": ["kind", "text", "count"],
              "properties": {
                "kind": {"type": "string"},
                "text": {"type": "string"},
                "count": {"type": "integer"},
                "vmSteps": {"type": "integer"},
                "plan": {"type": "array", "items": {"type": "string"}}
              }
            },
            "timing": {
              "type": "object", "additionalProperties": false,
              "required": ["samplesNanoseconds", "medianNanoseconds", "lowNanoseconds",
                "highNanoseconds"],
              "properties": {
                "samplesNanoseconds": {"type": "array", "items": {"type": "integer"}},
                "medianNanoseconds": {"type": "integer"},
                "lowNanoseconds": {"type": "integer"},
                "highNanoseconds": {"type": "integer"},
                "outliers": {
                  "type": "object", "additionalProperties": false,
                  "required": ["mild", "severe"],
                  "properties": {"mild": {"type": "integer"}, "severe": {"type": "integer"}}
                }
              }
            },
            "twin": {
              "type": "object", "additionalProperties": false,
              "required": ["sentence", "statements", "rows", "vmSteps", "checksum"],
              "properties": {
                "sentence": {"type": "string"},
                "statements": {"type": "array", "items": {"$ref": "#/$defs/statement"}},
                "rows": {"type": "integer"},
                "vmSteps": {"type": "integer"},
                "time": {"$ref": "#/$defs/timing"},
                "ratio": {"$ref": "#/$defs/ratio"},
                "peakMemoryBytes": {"type": "integer"},
                "checksum": {"type": "string"}
              }
            },
            "ratio": {
              "type": "object", "additionalProperties": false,
              "required": ["median", "low", "high"],
              "properties": {
                "median": {"type": "number"},
                "low": {"type": "number"},
                "high": {"type": "number"}
              }
            },
            "expectation": {
              "type": "object", "additionalProperties": false,
              "required": ["count", "expression", "expected", "seen"],
              "properties": {
                "count": {"type": "string"},
                "expression": {"type": "string"},
                "expected": {"type": "integer"},
                "seen": {"type": "integer"}
              }
            }
        """

    private static let besides = """
            "figure": {
              "type": "object", "additionalProperties": false,
              "required": ["name", "value", "unit"],
              "properties": {
                "name": {"type": "string"},
                "value": {"type": "number"},
                "twin": {"type": "number"},
                "unit": {"enum": ["count", "nanoseconds", "ratio", "bytes"]}
              }
            },
            "peer": {
              "type": "object", "additionalProperties": false,
              "required": ["name", "sentence", "time", "peakMemoryBytes"],
              "properties": {
                "name": {"type": "string"},
                "sentence": {"type": "string"},
                "time": {"$ref": "#/$defs/timing"},
                "ratio": {"$ref": "#/$defs/ratio"},
                "peakMemoryBytes": {"type": "integer"}
              }
            },
            "scaling": {
              "type": "object", "additionalProperties": false,
              "required": ["unit", "points", "exponent", "twinExponent"],
              "properties": {
                "unit": {"type": "string"},
                "points": {"type": "array", "items": {
                  "type": "object", "additionalProperties": false,
                  "required": ["size", "nanoseconds", "twinNanoseconds"],
                  "properties": {
                    "size": {"type": "integer"},
                    "nanoseconds": {"type": "integer"},
                    "twinNanoseconds": {"type": "integer"}
                  }
                }},
                "exponent": {"type": "number"},
                "twinExponent": {"type": "number"}
              }
            }
        """
}
