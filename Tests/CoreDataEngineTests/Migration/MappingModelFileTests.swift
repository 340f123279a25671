import Foundation
import Testing

@testable import CoreDataEngine
@testable import CoreDataModel
@testable import CoreDataStore

/// Tests of reading compiled mapping models that no compiler would write.
@Suite struct MappingModelFileTests {
    /// The error of reading an archive of these objects. The first one is element 1, the root.
    private func problem(_ objects: [ArchiveValue]) throws -> String? {
        let root = ArchiveValue.dictionary([
            ("$version", .integer(100_000)),
            ("$archiver", .string("NSKeyedArchiver")),
            ("$top", .dictionary([("root", .reference(1))])),
            ("$objects", .array([.string("$null")] + objects)),
        ])
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("mapping-\(UUID().uuidString).cdm")
        try BinaryPropertyListWriter.data(root).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        do throws(CoreDataError) {
            _ = try MappingModelFile.read(file)
            return nil
        } catch {
            return error.message.replacingOccurrences(of: file.path, with: "FILE")
        }
    }

    private func object(_ type: Int, _ fields: [(String, ArchiveValue)]) -> ArchiveValue {
        .dictionary(
            [("$class", ArchiveValue.reference(type))]
                + fields)
    }

    private func type(_ name: String) -> ArchiveValue {
        .dictionary([("$classname", .string(name))])
    }

    /// An archived mapping model with one entity mapping. Its source expression is element 7.
    private func model(_ expression: [ArchiveValue]) -> [ArchiveValue] {
        [
            object(2, [("NSEntityMappings", .reference(3))]), type("NSMappingModel"),
            object(4, [("NS.objects", .array([.reference(5)]))]), type("NSArray"),
            object(6, [("NSSourceExpression", .reference(7))]), type("NSEntityMapping"),
        ] + expression
    }

    private func call(_ operand: Int) -> ArchiveValue {
        object(
            8, [("NSSelectorName", .string("x")), ("NSOperand", .reference(operand))])
    }

    @Test func `an expression that contains itself is refused`() throws {
        let cycle = model([call(7), type("NSFunctionExpression")])
        #expect(
            try problem(cycle)
                == "FILE is not a usable mapping model: an expression contains itself, or is nested"
                + " more than 64 levels deep.")
        let pair = model([call(9), type("NSFunctionExpression"), call(7)])
        #expect(try problem(pair)?.contains("contains itself") == true)
        let fetch = model([
            object(8, [("NSFRExpression", .reference(7))]), type("NSFetchRequestExpression"),
        ])
        #expect(try problem(fetch)?.contains("contains itself") == true)
    }

    @Test func `a deeply nested expression is refused, one of some levels is read`() throws {
        func chain(_ levels: Int) -> [ArchiveValue] {
            var objects = [call(9), type("NSFunctionExpression")]
            for level in 1..<levels { objects.append(call(9 + level)) }
            let type = 9 + levels
            objects.append(object(type, []))
            objects.append(self.type("NSSelfExpression"))
            return model(objects)
        }
        #expect(try problem(chain(50)) == nil)
        #expect(try problem(chain(1_000))?.contains("more than 64 levels") == true)
    }

    @Test func `parts that are shared repeatedly are counted each time`() throws {
        // Each level refers to the next one eight times. So the tree has 8 to the power of 20
        // expressions.
        var objects: [ArchiveValue] = []
        let levels = 20
        for level in 0..<levels {
            let place = 7 + 3 * level
            objects.append(
                object(
                    place + 1,
                    [
                        ("NSSelectorName", .string("x")), ("NSOperand", .reference(place + 3)),
                        ("NSArguments", .reference(place + 2)),
                    ]))
            objects.append(type("NSFunctionExpression"))
            let many = Array(repeating: ArchiveValue.reference(place + 3), count: 8)
            objects.append(object(4, [("NS.objects", .array(many))]))
        }
        let last = 7 + 3 * levels
        objects += [object(last + 1, []), type("NSSelfExpression")]
        #expect(try problem(model(objects))?.contains("expands to more parts") == true)
    }

    @Test func `a text that refers to itself is read as nil`() throws {
        let circle = model([
            object(8, [("NSVariable", .reference(9))]), type("NSVariableExpression"),
            object(4, [("NS.string", .reference(9))]),
        ])
        #expect(try problem(circle) == nil)
    }
}
