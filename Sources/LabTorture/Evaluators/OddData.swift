import CoreData
import CoreDataPredicate
import Foundation

/// Objects with unusual values. SQL and evaluation in memory may differ for them.
struct OddData: CustomStringConvertible {
    /// An object. `values` has no entries for attributes that are nil.
    struct Row {
        var values: [String: any Sendable] = [:]
        var isSpecial = false
        var parent: Int?
        var friends: [Int] = []
    }

    private(set) var rows: [Row]

    var count: Int { rows.count }

    init(_ dice: inout Dice) {
        let count = dice.number(4...9)
        rows = (0..<count).map { number in
            var row = Row()
            row.values["name"] = "i\(number)"
            for (key, values) in Self.values where !dice.chance(25) {
                row.values[key] = dice.pick(values)
            }
            row.isSpecial = dice.chance(25)
            row.parent = dice.chance(60) ? dice.below(count) : nil
            row.friends = (0..<count).filter { _ in dice.chance(20) }
            return row
        }
    }

    var description: String {
        rows.enumerated().map { number, row in
            let values = row.values.sorted { $0.key < $1.key }
                .map { "\($0.key): \(Self.text($0.value))" }
            let links =
                [row.parent.map { "parent: i\($0)" }].compactMap { $0 }
                + row.friends.map { "friend: i\($0)" }
            return "i\(number)\(row.isSpecial ? " special" : "") "
                + (values + links).joined(separator: ", ")
        }.joined(separator: "\n")
    }

    private static func text(_ value: Any) -> String {
        (value as? String).map { $0.debugDescription } ?? "\(value)"
    }

    // MARK: Values

    static let texts = [
        "", "a", "A", "b", "abc", "ABC", "ab", "é", "e\u{301}", "É", "ß", "ss", "ﬁ", "fi", "🙂", "👨‍👩‍👧",
        "a\u{301}b", "a b", "10", "9", "%", "_", "*", "x.y", "中",
    ]
    static let wholes: [Int] = [
        0, 1, -1, 2, 3, 5, 7, 10, -10, 255, 1 << 40, Int.max, Int.min, Int.max - 1,
    ]
    static let smalls: [Int] = [0, 1, 2, -3, 7, 32_767, -32_768]
    static let reals: [Double] = [
        0, -0.0, 1, 1.5, -2.5, 0.5, 4, 9, 100, 1e300, -1e300, .infinity, -.infinity, .nan,
        .leastNonzeroMagnitude,
    ]
    static let cashes: [Decimal] = ["0", "1", "1.5", "-2.25", "0.1", "123456789.01", "10"]
        .compactMap {
            Decimal(string: $0)
        }
    static let days: [Date] = [0, 1, 0.5, -1_000_000_000, 700_000_000.25, 86_400].map {
        Date(timeIntervalSinceReferenceDate: $0)
    }
    static let blobs: [Data] = [Data(), Data([0]), Data([1, 2, 3]), Data([255])]
    static let marks: [UUID] = [
        "00000000-0000-0000-0000-000000000000", "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        "FFFFFFFF-0000-0000-0000-000000000001",
    ].compactMap { UUID(uuidString: $0) }

    private static let values: [(String, [any Sendable])] = [
        ("text", texts), ("note", texts), ("whole", wholes), ("small", smalls),
        ("real", reals), ("cash", cashes), ("day", days), ("blob", blobs), ("mark", marks),
        ("flag", [true, false]), ("place.city", texts), ("place.height", reals),
    ]

    // MARK: Objects

    /// A model with the entity Item, which has children, friends and a composite attribute, and its
    /// subentity Special.
    static func model() -> NSManagedObjectModel {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let made = NSAttributeDescription()
            made.name = name
            made.attributeType = type
            made.isOptional = true
            return made
        }
        let item = NSEntityDescription(), special = NSEntityDescription()
        item.name = "Item"
        special.name = "Special"
        item.subentities = [special]
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.isOptional = true
        place.elements = [
            attribute("city", .stringAttributeType), attribute("height", .doubleAttributeType),
        ]
        func relationship(_ name: String, isToMany: Bool) -> NSRelationshipDescription {
            let made = NSRelationshipDescription()
            made.name = name
            made.destinationEntity = item
            made.maxCount = isToMany ? 0 : 1
            made.isOptional = true
            return made
        }
        let links = [("parent", false), ("children", true), ("friends", true), ("fans", true)]
            .map { relationship($0.0, isToMany: $0.1) }
        for pair in [0, 2] {
            links[pair].inverseRelationship = links[pair + 1]
            links[pair + 1].inverseRelationship = links[pair]
        }
        item.properties =
            [
                attribute("name", .stringAttributeType), attribute("text", .stringAttributeType),
                attribute("note", .stringAttributeType),
                attribute("whole", .integer64AttributeType),
                attribute("small", .integer16AttributeType),
                attribute("real", .doubleAttributeType), attribute("cash", .decimalAttributeType),
                attribute("day", .dateAttributeType), attribute("blob", .binaryDataAttributeType),
                attribute("mark", .UUIDAttributeType), attribute("flag", .booleanAttributeType),
                place,
            ] + links
        let model = NSManagedObjectModel()
        model.entities = [item, special]
        return model
    }

    /// Creates the objects in a context. The caller runs on the context's queue.
    func insert(into context: NSManagedObjectContext) -> [NSManagedObject] {
        let objects = rows.map { row in
            let object = NSEntityDescription.insertNewObject(
                forEntityName: row.isSpecial ? "Special" : "Item", into: context)
            var place: [String: Any] = [:]
            for (key, value) in row.values {
                if key.hasPrefix("place.") {
                    place[String(key.dropFirst(6))] = Self.object(value)
                } else {
                    object.setValue(Self.object(value), forKey: key)
                }
            }
            if !place.isEmpty { object.setValue(place, forKey: "place") }
            return object
        }
        for (object, row) in zip(objects, rows) {
            object.setValue(row.parent.map { objects[$0] }, forKey: "parent")
            object.setValue(NSSet(array: row.friends.map { objects[$0] }), forKey: "friends")
        }
        return objects
    }

    private static func object(_ value: Any) -> Any {
        (value as? Decimal).map { NSDecimalNumber(decimal: $0) } ?? value
    }
}
