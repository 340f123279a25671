import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import TestSupport

/// Repeatable random models and values.
struct RandomGraph: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> UInt64 { generator.next() }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

    // MARK: Models

    static let kinds: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
        .booleanAttributeType, .doubleAttributeType, .floatAttributeType, .dateAttributeType,
        .decimalAttributeType, .stringAttributeType, .URIAttributeType, .UUIDAttributeType,
        .binaryDataAttributeType,
    ]

    /// Names that SQL reserves, that differ only in case, or that are too long for the server.
    private static let names = [
        "select", "Order", "user", "table", "Name", "name", "NAME", "group", "end", "null", "oid",
        "über", "日本", "Z_PK", "x_order", String(repeating: "n", count: 70),
    ]

    /// Makes a model of up to three families of entities. Every entity has the number `tag`.
    mutating func model() -> NSManagedObjectModel {
        var names = Self.names.shuffled(using: &self)
        var entities: [NSEntityDescription] = []
        for root in 0..<(1 + below(3)) {
            let name = chance(50) ? names.popLast() ?? "E\(root)" : "E\(root)"
            var family = [entity(name, attributes: [GraphModels.number("tag")])]
            for level in 0..<below(3) {
                let child = entity("E\(root)S\(level)", attributes: [])
                pick(family).subentities.append(child)
                family.append(child)
            }
            entities += family
        }
        for number in 0..<(1 + below(5)) {
            let rules: [NSDeleteRule] = [
                .nullifyDeleteRule, .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule,
            ]
            let ends = ["r", "i"].map { prefix in
                let isToMany = chance(50)
                return GraphModels.End(
                    owner: pick(entities), name: "\(prefix)\(number)", toMany: isToMany,
                    ordered: isToMany && chance(40), rule: pick(rules))
            }
            GraphModels.relate(ends[0], ends[1])
        }
        return GraphModels.model(entities)
    }

    private mutating func entity(
        _ name: String, attributes: [NSAttributeDescription]
    ) -> NSEntityDescription {
        let names = Self.names.shuffled(using: &self)
        let random = (0..<(1 + below(3))).map { number in
            // The names of attributes differ from those in other entities of the family.
            let name = attributes.isEmpty ? "\(name)a\(number)" : names[number]
            return GraphModels.attribute(name, pick(Self.kinds))
        }
        let entity = GraphModels.entity(name, attributes + random)
        let simple: [NSAttributeType] = [
            .integer16AttributeType, .stringAttributeType, .UUIDAttributeType,
        ]
        if chance(30), let unique = random.first(where: { simple.contains($0.attributeType) }) {
            entity.uniquenessConstraints = [[unique.name]]
        }
        return entity
    }

    // MARK: Values

    mutating func value(_ type: NSAttributeType) -> Any? {
        if chance(15) { return nil }
        let isSmall = chance(70)
        return switch type {
        case .integer16AttributeType:
            NSNumber(value: isSmall ? Int16(below(5)) : pick([Int16.min, -1, Int16.max]))
        case .integer32AttributeType:
            NSNumber(value: isSmall ? Int32(below(5)) : pick([Int32.min, -1, Int32.max]))
        case .integer64AttributeType:
            NSNumber(value: isSmall ? Int64(below(5)) : pick([Int64.min, 1 << 53 + 1, Int64.max]))
        case .booleanAttributeType: NSNumber(value: chance(50))
        case .doubleAttributeType: NSNumber(value: isSmall ? Double(below(9)) / 4 - 1 : double())
        case .floatAttributeType: NSNumber(value: isSmall ? Float(below(9)) / 4 : 0.1)
        case .dateAttributeType:
            Date(timeIntervalSinceReferenceDate: isSmall ? Double(below(5)) : double())
        case .decimalAttributeType:
            // SQLite stores decimals as binary fractions, so these have few digits.
            NSDecimalNumber(string: pick(["0", "1.5", "-0.25", "123456789", "10", "99999.5"]))
        case .stringAttributeType: isSmall ? pick(["a", "b", "A", "ä", "", "ab"]) : text()
        case .URIAttributeType: URL(string: pick(["http://a/b?c=%20", "file:///x", "x:y"]))
        case .UUIDAttributeType: UUID(uuidString: "00000000-0000-4000-8000-00000000000\(below(4))")
        default: Data((0..<pick([0, 1, 20, 3_000])).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        }
    }

    private mutating func double() -> Double {
        pick([
            .infinity, -.infinity, .leastNonzeroMagnitude, -.greatestFiniteMagnitude, 1 / 3, -0.1,
            9_007_199_254_740_992, 1e17,
        ])
    }

    private mutating func text() -> String {
        let parts = [
            "a\u{308}", "é", "'", "\"", "\\", "%", "_", "*", "😀", "👨‍👩‍👧", "\n", "\u{1}", " ", "ﬁ", "ß",
            "\u{10FFFF}", "日", "$1", "--", ";", "{", ",",
        ]
        return (0..<(1 + below(8))).map { _ in pick(parts) }.joined()
    }

    // MARK: Descriptions

    /// A description that is equal for equal values of all stores.
    static func description(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let number as NSNumber where number.doubleValue == 0: "0"
        case let text as String: "\(text.unicodeScalars.map(\.value))"
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let data as Data: data.base64EncodedString()
        case let row as NSDictionary:
            row.allKeys.compactMap { $0 as? String }.sorted()
                .map { "\($0)=\(description(row[$0]))" }.joined(separator: " ")
        case let value?: "\(value)"
        }
    }
}
