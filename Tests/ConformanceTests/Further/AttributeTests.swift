import CoreData
import TestSupport
import Testing

/// Conformance tests for section 11: uniqueness constraints, and derived, composite, transient,
/// transformable and external attributes.
@MainActor struct AttributeTests {
    private static func text(_ name: String) -> NSAttributeDescription {
        attribute(name, .stringAttributeType)
    }

    /// A shop whose entity "Thing" has the string attributes k, m and v, and these constraints.
    private func unique(_ constraints: [[String]]) throws -> Bookshop {
        let thing = Bookshop.plain("Thing", [Self.text("k"), Self.text("m"), Self.text("v")])
        thing.uniquenessConstraints = constraints
        return try Bookshop(model(thing))
    }

    private func values(_ shop: Bookshop, _ key: String) throws -> [String?] {
        try shop.find("Thing", by: "k").map { $0.text(key) }
    }

    // MARK: Constraints

    // Proves S11-1, S11-2
    @Test func `nil values never collide, and two keys only as a pair`() throws {
        let shop = try unique([["m", "k"]])
        for pair in [["k": "1", "m": "1"], ["k": "1", "m": "2"], [:], [:]] {
            shop.add("Thing", pair)
        }
        try shop.context.save()
        shop.add("Thing", ["k": "1", "m": "2"])
        let error = failure { try shop.context.save() }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        let conflicts = error?.userInfo["conflictList"] as? [NSConstraintConflict]
        #expect(conflicts?.count == 1 && Set(conflicts?.first?.constraint ?? []) == ["k", "m"])
    }

    // Proves S11-3
    @Test func `a change that takes another row's value conflicts`() throws {
        let shop = try unique([["k"]])
        shop.add("Thing", ["k": "1"])
        let other = shop.add("Thing", ["k": "2"])
        try shop.context.save()
        other.setValue("1", forKey: "k")
        #expect(
            failure { try shop.context.save() }?.code == NSManagedObjectConstraintMergeError)
        shop.context.rollback()
        #expect(other.text("k") == "2")
    }

    // Proves S11-4, S11-5
    @Test func `values may be swapped, and taken over from a deleted row`() throws {
        let shop = try unique([["k"]])
        let (one, two) = (shop.add("Thing", ["k": "1"]), shop.add("Thing", ["k": "2"]))
        try shop.context.save()
        one.setValue("2", forKey: "k")
        two.setValue("1", forKey: "k")
        try shop.context.save()
        shop.context.delete(two)
        shop.add("Thing", ["k": "1", "v": "new"])
        try shop.context.save()
        shop.context.reset()
        #expect(try values(shop, "k") == ["1", "2"] && values(shop, "v") == ["new", nil])
    }

    // Proves S11-6
    @Test func `object trump merges rows that collide by either constraint`() throws {
        let shop = try unique([["k"], ["m"]])
        shop.add("Thing", ["k": "1", "m": "1", "v": "x"])
        shop.add("Thing", ["k": "2", "m": "2", "v": "y"])
        try shop.context.save()
        shop.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        shop.add("Thing", ["k": "1", "m": "9", "v": "z"])
        try shop.context.save()
        shop.context.reset()
        #expect(try values(shop, "m") == ["9", "2"] && values(shop, "v") == ["z", "y"])
        shop.add("Thing", ["k": "1", "m": "2", "v": "both"])
        try shop.context.save()
        shop.context.reset()
        #expect(try values(shop, "v") == ["both"])
    }

    // MARK: Derived attributes

    private static func derived(
        _ name: String, _ format: String, _ type: NSAttributeType
    ) -> NSDerivedAttributeDescription {
        let made = NSDerivedAttributeDescription()
        made.name = name
        made.attributeType = type
        made.derivationExpression = NSExpression(format: format)
        return made
    }

    /// A shop whose entity "Author" has attributes that are derived from its name and its books.
    private func derivingShop() throws -> Bookshop {
        let author = Bookshop.plain(
            "Author",
            [
                Self.text("name"), Self.derived("plain", "canonical:(name)", .stringAttributeType),
                Self.derived("upper", "uppercase:(name)", .stringAttributeType),
                Self.derived("lower", "lowercase:(name)", .stringAttributeType),
                Self.derived("count", "books.@count", .integer32AttributeType),
                Self.derived("total", "books.price.@sum", .doubleAttributeType),
                Self.derived("stamp", "now()", .dateAttributeType),
            ])
        let book = Bookshop.plain(
            "Book",
            [
                attribute("price", .doubleAttributeType),
                Self.derived("by", "author.name", .stringAttributeType),
            ])
        Bookshop.link(author, "books", book, "author")
        return try Bookshop(model(author, book))
    }

    // Proves S11-7, S11-8, S11-9
    @Test func `derived values are computed by the save from values and members`() throws {
        let shop = try derivingShop()
        let author = shop.add("Author", ["name": "Éa"])
        let books = [2.5, 1].map { shop.add("Book", ["price": $0, "author": author]) }
        #expect(author.value(forKey: "lower") == nil)
        author.setValue("by hand", forKey: "lower")
        try shop.context.save()
        #expect(author.text("upper") == "ÉA" && author.text("lower") == "éa")
        #expect(author.text("plain") == "ea" && books[0].text("by") == "Éa")
        #expect(author.number("count") == 2 && author.value(forKey: "total") as? Double == 3.5)
        author.setValue("B", forKey: "name")
        shop.context.delete(books[0])
        try shop.context.save()
        #expect(author.number("count") == 1 && author.value(forKey: "total") as? Double == 1)
        #expect(try shop.count("Author", "count == 1 AND plain == 'b'") == 1)
    }

    // Proves S11-10
    @Test func `a derived timestamp changes only with its own row`() throws {
        let shop = try derivingShop()
        let (one, two) = (shop.add("Author", ["name": "1"]), shop.add("Author", ["name": "2"]))
        try shop.context.save()
        let before = (one.value(forKey: "stamp") as? Date, two.value(forKey: "stamp") as? Date)
        one.setValue("x", forKey: "name")
        try shop.context.save()
        let stamp = try #require(one.value(forKey: "stamp") as? Date)
        #expect(try stamp >= #require(before.0))
        #expect(two.value(forKey: "stamp") as? Date == before.1)
    }

    // Proves S11-11
    @Test func `derived values follow batch requests`() throws {
        let shop = try derivingShop()
        let author = shop.add("Author", ["name": "X"])
        for price in [1.0, 2] { shop.add("Book", ["price": price, "author": author]) }
        try shop.context.save()
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["name": "YY"]
        try shop.context.execute(update)
        let books = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        books.predicate = NSPredicate(format: "price == 1")
        try shop.context.execute(NSBatchDeleteRequest(fetchRequest: books))
        shop.context.reset()
        let found = try shop.find("Author")[0]
        #expect(found.text("lower") == "yy" && found.number("count") == 1)
    }

    // Proves S11-12
    @Test func `stores other than SQLite refuse derived attributes`() {
        let model = Bookshop.thing(
            Self.text("t"), Self.derived("l", "lowercase:(t)", .stringAttributeType))
        for type in [NSInMemoryStoreType, NSBinaryStoreType] {
            #expect(failure { _ = try Bookshop(model, type: type) } != nil)
        }
    }

    // MARK: Composite attributes

    // Proves S11-13, S11-14, S11-15
    @Test func `a composite is a dictionary whose elements are fetched by key paths`() throws {
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.isOptional = true
        place.elements = [attribute("lat", .doubleAttributeType), Self.text("town")]
        let shop = try Bookshop(model(Bookshop.plain("Thing", [place, Self.text("n")])))
        let rome: [String: Any] = ["lat": 1.5, "town": "Rome"]
        let first = shop.add("Thing", ["n": "1", "place": rome])
        let second = shop.add("Thing", ["n": "2", "place": ["lat": 0.5, "town": "Bonn"]])
        try shop.context.save()
        shop.context.refreshAllObjects()
        let value = first.value(forKey: "place") as? [String: Any]
        #expect(value?["town"] as? String == "Rome")
        #expect(first.value(forKeyPath: "place.lat") as? Double == 1.5)
        #expect(try shop.find("Thing", "place.town == 'Bonn'") == [second])
        #expect(try shop.find("Thing", by: "place.lat") == [second, first])
        let rows = try shop.context.fetch(shop.rows("Thing", ["place.lat"]))
        #expect(rows.compactMap { $0["place.lat"] as? Double }.sorted() == [0.5, 1.5])
        second.setValue(["lat": 7.0, "town": "Bonn"], forKey: "place")
        #expect(second.changedValues().keys.sorted() == ["place"])
        first.setValue(2.5, forKeyPath: "place.lat")
        try shop.context.save()
        shop.context.refreshAllObjects()
        #expect(first.value(forKeyPath: "place.lat") as? Double == 2.5)
        #expect(first.value(forKeyPath: "place.town") as? String == "Rome")
    }

    // MARK: Transient and transformable values

    // Proves S11-16
    @Test func `a transient value is kept until a refresh and not stored`() throws {
        let full = Self.text("full")
        full.isTransient = true
        let shop = try Bookshop(Bookshop.thing(Self.text("n"), full))
        let thing = shop.add("Thing", ["n": "a", "full": "a b"])
        try shop.context.save()
        #expect(thing.text("full") == "a b")
        shop.context.refresh(thing, mergeChanges: false)
        #expect(thing.text("full") == nil)
        let table = try shop.sql("SELECT sql FROM sqlite_master WHERE name = 'ZTHING'")
        #expect(table.first?.contains("ZFULL") == false)
    }

    // Proves S11-17
    @Test func `a custom transformer runs forward at the save and in reverse at the read`() throws {
        let name = NSValueTransformerName("JoiningTransformer")
        ValueTransformer.setValueTransformer(JoiningTransformer(), forName: name)
        let list = attribute("list", .transformableAttributeType)
        list.valueTransformerName = name.rawValue
        let shop = try Bookshop(Bookshop.thing(list))
        let thing = shop.add("Thing", ["list": ["x", "y"]])
        try shop.context.save()
        #expect(try shop.sql("SELECT CAST(ZLIST AS TEXT) FROM ZTHING") == ["x,y"])
        shop.context.refresh(thing, mergeChanges: false)
        #expect(thing.value(forKey: "list") as? [String] == ["x", "y"])
    }

    // Proves S11-18
    @Test func `the secure transformer refuses a class that is not allowed`() throws {
        let box = attribute("box", .transformableAttributeType)
        box.valueTransformerName =
            NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
        let shop = try Bookshop(Bookshop.thing(box))
        shop.add("Thing", ["box": Foreign()])
        #expect(failure { try shop.context.save() } != nil)
    }

    // Proves S11-19
    @Test func `an attribute without a transformer's name keeps any archived object`() throws {
        let box = attribute("box", .transformableAttributeType)
        let shop = try Bookshop(Bookshop.thing(box))
        let thing = shop.add("Thing", ["box": ["a": [1, 2]] as NSDictionary])
        try shop.context.save()
        shop.context.refresh(thing, mergeChanges: false)
        #expect(thing.value(forKey: "box") as? NSDictionary == ["a": [1, 2]])
    }

    // MARK: External values

    // Proves S11-20
    @Test func `a large external value is a file that is removed with its row`() throws {
        let data = attribute("data", .binaryDataAttributeType)
        data.allowsExternalBinaryDataStorage = true
        let shop = try Bookshop(Bookshop.thing(data))
        let large = shop.add("Thing", ["data": Data(count: 500_000)])
        shop.add("Thing", ["data": Data(count: 10)])
        try shop.context.save()
        let path = shop.folder.path(".shop_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 1)
        shop.context.delete(large)
        try shop.context.save()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }

    // MARK: Values

    // Proves S11-21, S11-22
    @Test func `values come back as objects of their documented classes`() throws {
        let kinds: [(String, NSAttributeType, any Sendable)] = [
            ("flag", .booleanAttributeType, true), ("small", .integer16AttributeType, 7),
            ("exact", .decimalAttributeType, NSDecimalNumber(string: "12.5")),
            ("day", .dateAttributeType, Date(timeIntervalSinceReferenceDate: 0.25)),
            ("key", .UUIDAttributeType, UUID()),
            ("link", .URIAttributeType, URL(string: "https://example.com/a?b#c") as any Sendable),
            ("data", .binaryDataAttributeType, Data([0, 255])), ("empty", .stringAttributeType, ""),
        ]
        let shop = try Bookshop(
            model(Bookshop.plain("Thing", kinds.map { attribute($0.0, $0.1) })))
        let thing = shop.add("Thing")
        for (name, _, value) in kinds { thing.setValue(value, forKey: name) }
        try shop.context.save()
        shop.context.refresh(thing, mergeChanges: false)
        #expect(thing.value(forKey: "flag") as? Bool == true && thing.number("small") == 7)
        #expect(thing.value(forKey: "exact") is NSDecimalNumber)
        for name in ["exact", "day", "key", "link", "data", "empty"] {
            let expected = kinds.first { $0.0 == name }?.2 as? AnyHashable
            #expect(thing.value(forKey: name) as? AnyHashable == expected, "\(name)")
        }
    }
}

/// Joins texts with commas.
///
/// `@unchecked Sendable` because it has no state.
private final class JoiningTransformer: ValueTransformer, @unchecked Sendable {
    override class func transformedValueClass() -> AnyClass { NSData.self }

    override class func allowsReverseTransformation() -> Bool { true }

    override func transformedValue(_ value: Any?) -> Any? {
        (value as? [String]).map { Data($0.joined(separator: ",").utf8) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { data in
            String(decoding: data, as: UTF8.self).split(separator: ",").map(String.init)
        }
    }
}

/// A class that no transformer has in its list of allowed classes.
final class Foreign: NSObject, NSSecureCoding {
    static let supportsSecureCoding = true

    override init() {}

    init?(coder: NSCoder) {}

    func encode(with coder: NSCoder) {}
}
