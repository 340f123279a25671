import BenchResults
import Foundation
import LabFiles
import LabResults
import Testing

/// Checks JSON against the parts of JSON Schema that the published schemas use.
private struct Checker {
    typealias Object = [String: Any]

    let definitions: Object

    func problems(_ value: Any, _ schema: Object, at path: String = "$") -> [String] {
        if let reference = schema["$ref"] as? String {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            guard let target = definitions[name] as? Object else { return ["no \(reference)"] }
            return problems(value, target, at: path)
        }
        if let words = schema["enum"] as? [String] {
            return words.contains(value as? String ?? "") ? [] : ["\(path): not one of \(words)"]
        }
        if let constant = schema["const"] {
            return "\(constant)" == "\(value)" ? [] : ["\(path): not \(constant)"]
        }
        switch schema["type"] as? String {
        case "object": return object(value, schema, at: path)
        case "array":
            guard let items = value as? [Any], let schema = schema["items"] as? Object
            else { return ["\(path): no array"] }
            return items.enumerated().flatMap {
                problems($0.element, schema, at: "\(path)[\($0.offset)]")
            }
        case "string": return value is String ? [] : ["\(path): no string"]
        case "boolean": return value is Bool ? [] : ["\(path): neither true nor false"]
        case "integer", "number": return value is NSNumber ? [] : ["\(path): no number"]
        default: return ["\(path): the schema says nothing"]
        }
    }

    private func object(_ value: Any, _ schema: Object, at path: String) -> [String] {
        guard let object = value as? Object else { return ["\(path): no object"] }
        let properties = schema["properties"] as? Object ?? [:]
        let required = schema["required"] as? [String] ?? []
        let missing = required.filter { object[$0] == nil }.map { "\(path): no \($0)" }
        let others = schema["additionalProperties"] as? Object
        return missing
            + object.sorted { $0.key < $1.key }.flatMap { key, value -> [String] in
                guard let schema = properties[key] as? Object ?? others
                else { return ["\(path): \(key) is not described"] }
                return problems(value, schema, at: "\(path).\(key)")
            }
    }
}

@Suite struct SchemaTests {
    private func problems(_ text: String, _ schema: String) throws -> [String] {
        let schema = try object(schema)
        let checker = Checker(definitions: schema["$defs"] as? [String: Any] ?? [:])
        return checker.problems(try object(text), schema)
    }

    private func object(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [String: Any])
    }

    @Test func `every kind of result file fits its published schema`() throws {
        #expect(try problems(ResultFile.text(Samples.run), ResultSchema.run) == [])
        #expect(try problems(ResultFile.text(Samples.matrix), ResultSchema.matrix) == [])
        #expect(try problems(ResultFile.text(Samples.bench), ResultSchema.bench) == [])
        #expect(try problems(ResultFile.text(Samples.benchInTime), ResultSchema.bench) == [])
        #expect(try problems(ResultFile.text(Samples.torture), ResultSchema.torture) == [])
        #expect(try problems(ResultFile.text(Samples.gate), ResultSchema.gate) == [])
    }

    @Test func `files of an analysed log and of a fetch fit their published schemas`() throws {
        var log = SQLReport(log: "log.txt", totals: SQLTotals())
        log.totals.transactionsPerSecond = 1.5
        log.shapes = [SQLShape(kind: "select", text: "SELECT", entity: "A", plan: ["SCAN t0"])]
        log.findings = SQLFinding.Kind.allCases.map {
            SQLFinding(
                kind: $0, title: "t", statements: 1, lines: [1],
                origin: .init(line: 1, entity: "A", rows: 2, text: "SELECT"), advice: "a",
                code: "c", keyPaths: ["b"], statement: "SELECT", plan: [])
        }
        log.limits = [SQLLimit(name: "rows", limit: 1, seen: 2)]
        log.comparison = SQLComparison(
            before: "old", totals: SQLTotals(),
            changes: [
                .init(
                    kind: "select", text: "SELECT", before: 1, after: 2, nanosecondsBefore: 0,
                    nanosecondsAfter: 1)
            ], appeared: ["t"], vanished: [])
        #expect(try problems(ResultFile.text(log), ResultSchema.sql) == [])
        var way = FetchStrategy(name: "plain", sentence: "s")
        way.statements = [
            .init(text: "SELECT", count: 1, rows: 1, nanoseconds: 1, bindings: ["1"], plan: [])
        ]
        let fetch = FetchReport(
            store: "s", entity: "A", rowsInStore: 1, request: [], rounds: 1, build: "debug",
            strategies: [way],
            verdict: FetchVerdict(
                choices: [.init(purpose: "p", ways: ["plain"], reason: "r", code: ["c"])],
                index: .init(
                    entity: "A", attributes: ["a"], others: [["b"]], reason: "r",
                    planBefore: ["SCAN"], vmStepsBefore: 1), code: ["c"]))
        #expect(try problems(ResultFile.text(fetch), ResultSchema.fetch) == [])
    }

    @Test func `a file of another kind does not fit`() throws {
        let found = try problems(ResultFile.text(Samples.gate), ResultSchema.run)
        #expect(found.contains("$: no scenarios"))
        #expect(found.contains("$: baseline is not described"))
        #expect(found.contains("$.header.kind: not faultline.run"))
    }
}
