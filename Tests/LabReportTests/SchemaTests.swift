import Foundation
import LabResults
import Testing

@testable import LabReport

/// Holds JSON against the part of JSON Schema that the published schemas use.
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
    private func problems(_ text: String, _ kind: ResultKind) throws -> [String] {
        let schema = try object(ResultSchema.text(kind))
        let checker = Checker(definitions: schema["$defs"] as? [String: Any] ?? [:])
        return checker.problems(try object(text), schema)
    }

    private func object(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [String: Any])
    }

    @Test func `every kind of result file fits its published schema`() throws {
        #expect(try problems(ResultFile.text(Samples.run), .run) == [])
        #expect(try problems(ResultFile.text(Samples.matrix), .matrix) == [])
        #expect(try problems(ResultFile.text(Samples.bench), .bench) == [])
        #expect(try problems(ResultFile.text(Samples.gate), .gate) == [])
    }

    @Test func `a file of another kind does not fit`() throws {
        let found = try problems(ResultFile.text(Samples.gate), .run)
        #expect(found.contains("$: no scenarios"))
        #expect(found.contains("$: baseline is not described"))
        #expect(found.contains("$.header.kind: not faultline.run"))
    }
}
