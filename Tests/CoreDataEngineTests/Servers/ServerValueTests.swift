import CoreDataEngine
import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPredicate
import CoreDataStore
import PostgreSQLTestSupport
import Testing

/// Compares values, orders, comparisons and aggregates of a store on a server with those of a store
/// in memory, for every kind of attribute and for odd values.
@Suite(.needsPostgreSQL) struct ServerValueTests {
    private let database: TestDatabase
    private let server: GraphStack
    private let memory: GraphStack

    init() throws {
        let database = try TestServer.shared().makeDatabase()
        self.database = database
        server = try GraphStack(
            Self.model(), at: database.url(schema: "values"), type: FaultlinePostgreSQLStoreType)
        memory = try GraphStack(Self.model(), type: NSInMemoryStoreType)
        for stack in [server, memory] { try Self.fill(stack) }
    }

    // MARK: The model and its values

    private static let kinds: [(name: String, type: NSAttributeType)] = [
        ("small", .integer16AttributeType), ("middle", .integer32AttributeType),
        ("large", .integer64AttributeType), ("flag", .booleanAttributeType),
        ("real", .doubleAttributeType), ("single", .floatAttributeType),
        ("date", .dateAttributeType), ("exact", .decimalAttributeType),
        ("order", .stringAttributeType), ("link", .URIAttributeType), ("id", .UUIDAttributeType),
        ("bytes", .binaryDataAttributeType),
    ]

    private static func model() -> NSManagedObjectModel {
        let item = GraphModels.entity(
            "Item", [GraphModels.number("number")] + kinds.map { GraphModels.attribute($0, $1) })
        return GraphModels.model([item])
    }

    private static func odd(_ type: NSAttributeType) -> [Any] {
        switch type {
        case .integer16AttributeType: [Int16.min, -1, 0, 1, Int16.max].map { NSNumber(value: $0) }
        case .integer32AttributeType: [Int32.min, -1, 0, 7, Int32.max].map { NSNumber(value: $0) }
        case .integer64AttributeType:
            [Int64.min, -1, 0, 1 << 53 + 1, 1 << 53, Int64.max].map { NSNumber(value: $0) }
        case .booleanAttributeType: [NSNumber(value: true), NSNumber(value: false)]
        case .doubleAttributeType:
            [
                -Double.infinity, -1.5, -0.0, 0.1, 1 / 3, .leastNonzeroMagnitude,
                Double.greatestFiniteMagnitude, .infinity,
            ].map { NSNumber(value: $0) }
        case .floatAttributeType:
            [Float(-0.1), 0.1, 16_777_216, .greatestFiniteMagnitude].map { NSNumber(value: $0) }
        case .dateAttributeType:
            [-1e12, -0.1, 0, 1.0 / 3, 700_000_000.123_456_789].map {
                Date(timeIntervalSinceReferenceDate: $0)
            }
        case .decimalAttributeType:
            [
                "0", "-0.1", "1.50", "12345678901234567890.123456789", "1e-30", "9e100",
                "-99999999999999999999999999999999999999",
            ].map { NSDecimalNumber(string: $0) }
        case .stringAttributeType:
            [
                "", " ", "a", "A", "ä", "a\u{308}", "z", "Z", "é", "\u{FFFD}", "😀", "'\"\\", "%_*?",
                "\u{1}\n\t", "ﬁ", "K", "\u{212A}",
            ]
        case .URIAttributeType:
            ["http://a/b?c=%20", "file:///x"].compactMap { URL(string: $0) }
        case .UUIDAttributeType:
            [
                "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
                "1EA8227C-C196-412A-8B0A-4952D20BF8EC", "7FA8227C-0000-412A-8B0A-4952D20BF8EC",
            ].compactMap { UUID(uuidString: $0) }
        case .binaryDataAttributeType:
            [
                Data(), Data([0]), Data([0, 1]), Data([255, 0, 254]),
                Data(repeating: 7, count: 3_000),
            ]
        default: []
        }
    }

    /// The values of all rows. They depend only on their positions, so both stores have the same
    /// ones.
    private static func values() -> [[(name: String, value: Any)]] {
        let columns = kinds.map { ($0.name, odd($0.type)) }
        return (0..<60).map { row in
            columns.enumerated().compactMap { place, column in
                // Every seventh value is missing.
                if (row + place) % 7 == 6 { return nil }
                return (column.0, column.1[(row * (place + 3) + row / 9) % column.1.count])
            }
        }
    }

    private static func fill(_ stack: GraphStack) throws {
        let context = stack.context()
        try context.on {
            for (row, values) in Self.values().enumerated() {
                let item = context.make("Item", ["number": row])
                for (name, value) in values { item.setValue(value, forKey: name) }
            }
            try context.save()
        }
        stack.coordinator.rowCache.removeAll()
    }

    private func numbers(
        _ stack: GraphStack, _ format: String?, _ arguments: [Any] = [],
        sort: [NSSortDescriptor] = []
    ) throws -> [Int] {
        let context = stack.context()
        return try context.on {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
            request.sortDescriptors =
                sort + [NSSortDescriptor(key: "number", ascending: true)]
            return try context.fetch(request).compactMap { $0.value(forKey: "number") as? Int }
        }
    }

    // MARK: Tests

    @Test func `D-082 every value, with each digit of a decimal, is read as written`() throws {
        let context = server.context()
        try context.on {
            let items = try context.all("Item", sort: "number")
            #expect(items.count == Self.values().count)
            for (item, values) in zip(items, Self.values()) {
                let written = Dictionary(values.map { ($0.name, $0.value) }) { $1 }
                for (name, _) in Self.kinds {
                    let (found, expected) = (item.value(forKey: name), written[name])
                    #expect(
                        found as? NSObject == expected.flatMap(Self.object),
                        "\(name): \(found ?? "nil") instead of \(expected ?? "nil")")
                }
            }
        }
    }

    /// The value as an object, whose equality is that of the value.
    private static func object(_ value: Any) -> NSObject? {
        switch value {
        case let text as String: NSString(string: text)
        case let date as Date:
            NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let data as Data: NSData(data: data)
        case let uuid as UUID: NSUUID(uuidString: uuid.uuidString)
        case let url as URL: NSURL(string: url.absoluteString)
        default: value as? NSObject
        }
    }

    @Test(arguments: Self.kinds.map(\.name))
    func `both stores have the same order`(_ name: String) throws {
        for ascending in [true, false] {
            let sort = [NSSortDescriptor(key: name, ascending: ascending)]
            #expect(try numbers(server, nil, sort: sort) == numbers(memory, nil, sort: sort))
        }
    }

    @Test(arguments: Self.kinds)
    func `both stores compare alike`(_ kind: (name: String, type: NSAttributeType)) throws {
        for value in Self.odd(kind.type) {
            for sign in ["==", "!=", "<", "<=", ">", ">="] {
                let format = "\(kind.name) \(sign) %@"
                #expect(
                    try numbers(server, format, [value])
                        == known(memory, kind.name, format, [value]), "\(format) \(value)")
            }
        }
        let list = Array(Self.odd(kind.type).prefix(2))
        for format in ["\(kind.name) == nil", "\(kind.name) IN %@", "NOT \(kind.name) IN %@"] {
            let arguments = format.contains("%@") ? [list] : []
            let expected =
                format.hasPrefix("NOT")
                ? try known(memory, kind.name, format, arguments)
                : try numbers(memory, format, arguments)
            #expect(try numbers(server, format, arguments) == expected, "\(format)")
        }
    }

    /// The rows for which the condition is true, without those that lack the value. A comparison
    /// with a missing value is unknown in SQL, but has a result in memory.
    private func known(
        _ stack: GraphStack, _ name: String, _ format: String, _ arguments: [Any]
    ) throws -> [Int] {
        try numbers(stack, "(\(format)) AND \(name) != nil", arguments)
    }

    @Test(arguments: [
        "order CONTAINS 'a'", "order BEGINSWITH 'é'", "order ENDSWITH '\\\\'", "order LIKE '*a*'",
        "order CONTAINS[cd] 'A'", "order MATCHES '[a-z]'", "order CONTAINS ''", "order ==[c] 'Z'",
        "order CONTAINS 'K'", "order LIKE '?'", "order CONTAINS[n] 'a'",
        "small + middle > 0", "large * 2 > 5", "real / small > 0", "exact > 1", "exact == 1.5",
        "real > small", "large > real", "small > 0.5", "large == 9007199254740993",
        "flag == YES AND small > 0", "flag == 2", "order == 5", "number IN {1, 2, 3}",
        "uppercase:(order) == 'A'", "length:(order) == 1", "abs:(small) > 5",
    ])
    func `conditions find the same rows`(_ condition: String) throws {
        // Rows without one of the values are left out, because SQL does not know their condition.
        let names = Self.kinds.map(\.name).filter { condition.contains($0) }
        let format = (["(\(condition))"] + names.map { "\($0) != nil" })
            .joined(separator: " AND ")
        #expect(try numbers(server, format) == numbers(memory, format))
    }

    @Test(arguments: [
        "count:(small)", "sum:(small)", "min:(large)", "max:(middle)", "average:(small)",
        "min:(date)", "max:(order)", "min:(exact)", "sum:(middle)", "max:(id)", "max:(flag)",
    ])
    func `aggregates have the same values`(_ function: String) throws {
        func value(_ stack: GraphStack) throws -> NSObject? {
            let context = stack.context()
            return try context.on {
                let column = NSExpressionDescription()
                column.name = "value"
                column.expression = NSExpression(format: function)
                let request = NSFetchRequest<NSDictionary>(entityName: "Item")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = [column]
                return try context.fetch(request).first?["value"] as? NSObject
            }
        }
        #expect(try value(server) == value(memory))
    }
}
