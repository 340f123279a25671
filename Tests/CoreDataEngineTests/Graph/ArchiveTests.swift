import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization
import Testing

import func CoreDataEngine.NSStringFromClass

/// A class of an app that only conforms to `NSCoding`.
final class Badge: NSObject, NSCoding {
    let number: Int
    let part: Any?

    init(_ number: Int, _ part: Any? = nil) {
        self.number = number
        self.part = part
    }

    func encode(with coder: NSCoder) {
        coder.encode(number, forKey: "number")
        coder.encode(part, forKey: "part")
    }

    init?(coder: NSCoder) {
        number = coder.decodeInteger(forKey: "number")
        part = coder.containsValue(forKey: "part") ? coder.decodeObject(forKey: "part") : nil
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Badge else { return false }
        return other.number == number && (other.part as? NSObject) == (part as? NSObject)
    }

    override var hash: Int { number }
}

/// An archivable object that refers to another ring or to itself.
final class Ring: NSObject, NSCoding {
    var next: Ring?

    override init() {}
    func encode(with coder: NSCoder) { coder.encode(next, forKey: "next") }
    init?(coder: NSCoder) { next = coder.decodeObject(forKey: "next") as? Ring }
}

/// A class whose `init(coder:)` always fails.
final class Refusing: NSObject, NSCoding {
    func encode(with coder: NSCoder) {}

    init?(coder: NSCoder) {
        #expect(coder.decodingFailurePolicy == .setErrorAndReturn)
        return nil
    }
}

final class Stamp: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
}

private final class StampTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [NSArray.self, Stamp.self] }
}

/// A transformer that returns its input, so that a test can store bytes that no archiver would
/// write.
private final class PlainBytes: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { value }
    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}

private struct Unarchivable {}

/// Source: NSKeyedUnarchiveFromData is Core Data's default and accepts every class of NSCoding.
@Suite struct ArchiveTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
        ValueTransformer.setValueTransformer(
            StampTransformer(), forName: NSValueTransformerName("StampTransformer"))
        ValueTransformer.setValueTransformer(
            PlainBytes(), forName: NSValueTransformerName("PlainBytes"))
    }

    private func stack(
        _ transformer: String? = nil, type: String = NSSQLiteStoreType,
        mustMeet format: String? = nil
    ) throws -> GraphStack {
        let badge = GraphModels.attribute("badge", .transformableAttributeType)
        badge.valueTransformerName = transformer
        if let format {
            badge.setValidationPredicates([NSPredicate(format: format)], withValidationWarnings: [])
        }
        let thing = GraphModels.entity("Thing", [GraphModels.text("name"), badge])
        return try GraphStack(GraphModels.model([thing]), at: folder.store, type: type)
    }

    /// Saves a thing named "n" with bytes that other code has archived.
    private func write(_ archive: Data, type: String = NSSQLiteStoreType) throws {
        let stack = try stack("PlainBytes", type: type)
        let writer = stack.context()
        try writer.on {
            writer.make("Thing", ["name": "n", "badge": archive])
            try writer.save()
        }
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    }

    /// Saves a value, and returns it as a new stack reads it.
    private func saved(_ value: Any, _ transformer: String? = nil) throws -> NSObject? {
        let context = try stack(transformer).context()
        try context.on {
            context.make("Thing", ["badge": value])
            try context.save()
        }
        let later = try stack(transformer).context()
        return try later.on { try later.all("Thing").first?.value(forKey: "badge") as? NSObject }
    }

    private func refusal(of value: Any, _ transformer: String? = nil) throws -> String {
        let context = try stack(transformer).context()
        return try context.on {
            let thing = context.make("Thing", ["badge": value])
            let error = try #require(context.saveError())
            #expect(error.code == 134_060)
            // The save succeeds after the value was removed.
            thing.setValue(nil, forKey: "badge")
            try context.save()
            return error.localizedDescription
        }
    }

    /// Reads an archive that other code has written. Returns the lines of the log.
    private func logged(reading archive: Data, _ transformer: String? = nil) throws -> [String] {
        try write(archive)
        let context = try stack(transformer).context()
        let lines = Mutex<[String]>([])
        try context.on {
            let thing = try #require(try context.all("Thing").first)
            EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
                #expect(thing.value(forKey: "badge") == nil)
            }
            thing.setValue("changed", forKey: "name")
            try context.save()
        }
        let reader = try stack("PlainBytes").context()
        try reader.on {
            let kept = try reader.all("Thing", "name == 'changed'").first?.value(forKey: "badge")
            #expect(kept as? Data == archive, "the bytes stay as they were")
        }
        return lines.withLock { $0 }
    }

    private static let decimal = NSDecimalNumber(string: "-123456789012345678901234567.89")
    private static var attributed: NSAttributedString {
        NSAttributedString(
            string: "word", attributes: [NSAttributedString.Key("k"): NSNumber(value: 7)])
    }

    static let foundation: [@Sendable () -> NSObject] = [
        { NSString(string: "é") }, { NSMutableString(string: "a") }, { NSNumber(value: 3.5) },
        { NSNumber(value: true) }, { decimal }, { NSDecimalNumber.zero },
        { NSDate(timeIntervalSinceReferenceDate: 9.5) }, { NSData(data: Data([1, 2])) },
        { NSMutableData(data: Data(repeating: 255, count: 64)) }, { NSUUID() },
        { NSArray(object: NSNull()) },
        { NSURL(fileURLWithPath: "/a/b") }, { NSArray(array: ["a", 1, decimal]) },
        { NSMutableArray(array: [NSArray(), "b"]) },
        { NSDictionary(dictionary: ["a": decimal, "b": ["c": [1]]]) },
        { NSSet(array: ["a", 2]) }, { NSCountedSet(array: ["a", "a", "b"]) },
        { NSOrderedSet(array: ["b", "a"]) }, { NSMutableOrderedSet(array: [1]) }, { attributed },
        { NSMutableAttributedString(attributedString: attributed) },
        { NSIndexSet(indexesIn: NSRange(location: 3, length: 9)) },
        { NSIndexPath(indexes: [1, 2, 3], length: 3) }, { NSLocale(localeIdentifier: "de_DE") },
        { NSValue(range: NSRange(location: 1, length: 2)) },
        { NSValue(point: CGPoint(x: 1, y: 2)) }, { NSURLQueryItem(name: "a", value: nil) },
        { (try? NSRegularExpression(pattern: "a+")) ?? NSNull() },
        { NSCharacterSet(charactersIn: "abc") }, { NSDateComponents() },
        { NSPersonNameComponents() },
        { NSMeasurement(doubleValue: 3, unit: UnitLength.meters) },
        { NSError(domain: "d", code: 3, userInfo: ["a": ["b"]]) },
    ]

    @Test(arguments: foundation.indices)
    func `values of Foundation's classes are read as they were saved`(index: Int) throws {
        let value = Self.foundation[index]()
        let found = try saved(value)
        #expect(found?.isEqual(value) == true, "\(type(of: value)): \(found as Any)")
    }

    @Test(arguments: [nil, "NSKeyedUnarchiveFromData", "NSUnarchiveFromData"])
    func `objects of custom classes are read as they were saved`(transformer: String?) throws {
        let parts: [Any?] = [
            nil, "text", Badge(2), [Badge(3), "x"], ["k": Badge(4)], Date(), Self.decimal,
            [Self.decimal, [Self.decimal]], Self.attributed,
        ]
        for (number, part) in parts.enumerated() {
            let badge = Badge(number, part)
            #expect(try saved(badge, transformer) == badge)
            try FileManager.default.removeItem(at: folder.store)
        }
    }

    @Test func `a save refuses a value that cannot be archived, and the context stays usable`()
        throws
    {
        let ring = Ring()
        ring.next = ring
        let refused: [(Any, String)] = [
            (Unarchivable(), "Unarchivable"), ([Unarchivable()], "Unarchivable"),
            (Badge(1, Unarchivable()), "Unarchivable"), (Badge(1, [Lock()]), "Lock"),
            (ring, "refers back to itself"), (Hidden(), "is private or nested"),
            (DateFormatter(), "DateFormatter"),
            (NSNotification(name: .init("a"), object: nil), "NSNotification"),
        ]
        for (value, word) in refused {
            let text = try refusal(of: value)
            #expect(text.contains("'badge' of 'Thing'") && text.contains(word), "\(text)")
        }
    }

    private final class Lock: NSObject {}

    private final class Hidden: NSObject, NSCoding {
        override init() {}
        func encode(with coder: NSCoder) {}
        init?(coder: NSCoder) {}
    }

    @Test func `a secure transformer refuses the save of a class that is not allowed`() throws {
        let name = "NSSecureUnarchiveFromData"
        for value in [Stamp(), [Stamp()], ["a": Stamp()]] as [Any] {
            let text = try refusal(of: value, name)
            #expect(text.contains("'badge' of 'Thing'") && text.contains("Stamp'"))
            #expect(text.contains("is not among the allowed classes of"))
            #expect(text.contains("lists it in allowedTopLevelClasses"))
        }
        #expect(try refusal(of: "text", "StampTransformer").contains("'NSString' is not among"))
        #expect(try refusal(of: Badge(1), name).contains("is not among the allowed classes"))
    }

    @Test func `a secure transformer reads the classes that it lists`() throws {
        #expect(try saved([Stamp(), "a"], "StampTransformer") is NSArray)
        try FileManager.default.removeItem(at: folder.store)
        let plain: NSArray = [1, ["a": Date(timeIntervalSinceReferenceDate: 1)]]
        #expect(try saved(plain, "NSSecureUnarchiveFromData") == plain)
    }

    @Test(arguments: [nil, "NSKeyedUnarchiveFromData", "NSSecureUnarchiveFromData"])
    func `an unknown class makes the value nil, and the bytes stay`(
        transformer: String?
    ) throws {
        let archive = Self.archive(
            ["$class": .reference(2), "v": .integer(7)], class: "NobodysClass\(UUID())")
        let lines = try logged(reading: archive, transformer)
        #expect(lines.count == 1)
        let line = lines.first ?? ""
        #expect(line.contains("'badge' of 'Thing'") && line.contains("'NobodysClass"))
        #expect(line.contains("NSKeyedUnarchiver.setClass(_:forClassName:)"))
    }

    @Test func `a secure transformer does not read a class that is not allowed`() throws {
        let archive = Self.archive(["$class": .reference(2)], class: NSStringFromClass(Stamp.self))
        let lines = try logged(reading: archive, "NSSecureUnarchiveFromData")
        // The log prints each line once, so another test may already have caused this line.
        #expect(lines.allSatisfy { $0.contains("is not among the allowed classes") }, "\(lines)")
    }

    @Test func `a class may be registered for a class name of another platform`() throws {
        NSKeyedUnarchiver.setClass(Badge.self, forClassName: "OtherBadge")
        let archive = Self.archive(
            ["$class": .reference(2), "number": .integer(7)], class: "OtherBadge")
        try write(archive)
        let context = try stack().context()
        try context.on {
            let found = try context.all("Thing").first?.value(forKey: "badge") as? Badge
            #expect(found?.number == 7)
        }
    }

    /// Foundation's unarchiver ends the process for each of these archives.
    static let damaged: [(String, [String: ArchiveValue])] = [
        ("NSString", ["NS.bytes": .data(Data([1]))]), ("NSMutableString", [:]),
        ("NSMutableString", ["NS.string": .integer(3)]),
        ("NSArray", ["NS.objects": .array([.reference(1)])]),
        ("NSDictionary", ["NS.keys": .array([.reference(3)]), "NS.objects": .array([])]),
        ("NSDictionary", ["NS.keys": .array([])]),
        ("NSOrderedSet", ["NS.object.0": .reference(0)]),
        ("NSOrderedSet", ["NS.object.0": .integer(1)]),
        ("NSCountedSet", ["NS.object0": .reference(3), "NS.count0": .integer(-2)]),
        ("NSRegularExpression", ["NSPattern": .reference(3), "NSOptions": .integer(-1)]),
        ("NSRegularExpression", ["NSOptions": .integer(0)]),
        ("NSValue", ["NS.special": .real(1.5)]), ("NSURLQueryItem", [:]),
        ("NSCharacterSet", ["NSRange": .integer(-3), "NSRangeLength": .integer(1)]),
        ("NSNotification", [:]), ("NSTextCheckingResult", [:]),
        ("NSDecimalNumber", ["NS.mantissa": .data(Data([1]))]), ("NSError", [:]),
        ("NSAttributedString", ["NSString": .reference(3), "NSAttributes": .reference(3)]),
    ]

    @Test(arguments: damaged.indices)
    func `D-071 damaged archives make the value nil`(index: Int) throws {
        let name = Self.damaged[index].0
        var fields = Self.damaged[index].1
        fields["$class"] = .reference(2)
        let lines = try logged(reading: Self.archive(fields, class: name))
        #expect(lines.allSatisfy { $0.contains("'badge' of 'Thing'") }, "\(lines)")
    }

    @Test func `bytes that are not an archive make the value nil`() throws {
        for bytes in [Data(), Data([1, 2, 3]), Data("bplist00".utf8)] {
            let lines = try logged(reading: bytes)
            #expect(lines.allSatisfy { $0.contains("not a binary keyed archive") })
            try FileManager.default.removeItem(at: folder.store)
        }
    }

    @Test func `an archive that is nested too deeply makes the value nil`() throws {
        var objects: [ArchiveValue] = [.string("$null")]
        for number in 1...2_000 {
            objects.append(
                .dictionary([
                    ("$class", .reference(2_001)),
                    ("NS.objects", .array(number == 2_000 ? [] : [.reference(number + 1)])),
                ]))
        }
        objects.append(Self.described("NSArray"))
        let lines = try logged(reading: Self.archive(objects))
        #expect(lines.allSatisfy { $0.contains("deeper than") })
    }

    @Test func `a transformer that is not registered is logged once, and archives are kept`()
        throws
    {
        let name = "Nobody's \(UUID())"
        let lines = Mutex<[String]>([])
        try EngineLog.capture({ line in lines.withLock { $0.append(line) } }) { () throws in
            #expect(try saved(["a"], name) == ["a"] as NSArray)
        }
        let told = lines.withLock { $0 }
        #expect(told.count == 1, "\(told)")
        #expect(told.first?.contains("'\(name)' was found for the attribute 'badge'") == true)
        let text = try refusal(of: Unarchivable(), name)
        #expect(text.contains("no value transformer named '\(name)' is registered"))
    }

    @Test func `an in-memory store needs neither a transformer nor an archive`() throws {
        let badge = GraphModels.attribute("badge", .transformableAttributeType)
        badge.valueTransformerName = "Nobody's \(UUID())"
        let model = GraphModels.model([GraphModels.entity("Thing", [badge])])
        let stack = try GraphStack(model, type: NSInMemoryStoreType)
        let (context, other) = (stack.context(), stack.context())
        let lock = Lock()
        try context.on {
            context.make("Thing", ["badge": lock])
            try context.save()
        }
        let child = other.child()
        try child.on {
            let thing = try #require(try child.all("Thing").first)
            #expect(thing.value(forKey: "badge") as? Lock === lock)
            thing.setValue(Badge(7), forKey: "badge")
            try child.save()
        }
        try other.on { try other.save() }
        try context.on {
            context.reset()
            let found = try context.all("Thing").first?.value(forKey: "badge")
            #expect(found as? Badge == Badge(7))
        }
    }

    // MARK: Calls that can throw

    private struct Undecodable {
        let archive: Data
        let transformer: String?
        let words: [String]
    }

    private static let undecodable = [
        Undecodable(
            archive: archive(["$class": .reference(2)], class: "NobodysClass"), transformer: nil,
            words: ["'NobodysClass'", "NSKeyedUnarchiver.setClass(_:forClassName:)"]),
        Undecodable(
            archive: archive(["$class": .reference(2)], class: NSStringFromClass(Stamp.self)),
            transformer: "NSSecureUnarchiveFromData",
            words: [".Stamp'", "is not among the allowed", "allowedTopLevelClasses"]),
        Undecodable(
            archive: archive(
                ["$class": .reference(2), "NS.keys": .array([])], class: "NSDictionary"),
            transformer: nil, words: ["the fields of a 'NSDictionary'", "are damaged"]),
        Undecodable(
            archive: Data([1, 2, 3]), transformer: nil, words: ["not a binary keyed archive"]),
        Undecodable(
            archive: archive(["$class": .reference(2)], class: NSStringFromClass(Refusing.self)),
            transformer: nil, words: [".Refusing'", "cannot be decoded"]),
    ]

    private static func failure(_ body: () throws -> Void) -> NSError? {
        do { try body() } catch { return error as NSError }
        return nil
    }

    private static func check(_ error: NSError?, _ expected: Undecodable) {
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134_060)
        let text = error?.localizedDescription ?? ""
        for words in expected.words + ["'badge' of 'Thing'", "until the attribute is set."] {
            #expect(text.contains(words), "\(text)")
        }
    }

    @Test(
        arguments: undecodable.indices, [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func `D-071 calls that can throw fail for an archive that cannot be decoded`(
        index: Int, type: String
    ) throws {
        let expected = Self.undecodable[index]
        try write(expected.archive, type: type)
        let context = try stack(expected.transformer, type: type).context()
        try context.on {
            let thing = try #require(try context.all("Thing").first)
            func existing() -> NSError? {
                Self.failure { _ = try context.existingObject(with: thing.objectID) }
            }
            let error = existing()
            Self.check(error, expected)
            #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [thing])
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "badge")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.returnsObjectsAsFaults = false
            Self.check(Self.failure { _ = try context.fetch(request) }, expected)
            let rows = NSFetchRequest<NSDictionary>(entityName: "Thing")
            rows.resultType = .dictionaryResultType
            Self.check(Self.failure { _ = try context.fetch(rows) }, expected)
            rows.propertiesToFetch = ["name"]
            #expect(try context.fetch(rows) == [["name": "n"]])
            // The getters return the same values after the failed calls.
            #expect(thing.text("name") == "n" && thing.value(forKey: "badge") == nil)
            context.refresh(thing, mergeChanges: false)
            #expect(thing.value(forKey: "badge") == nil && thing.text("name") == "n")
            Self.check(existing(), expected)
            // After the attribute has a new value, all calls succeed.
            thing.setValue("new" as NSString, forKey: "badge")
            try context.save()
            context.refresh(thing, mergeChanges: false)
            #expect(existing() == nil && thing.value(forKey: "badge") as? String == "new")
            #expect(try context.fetch(request) == [thing])
        }
    }

    @Test func `D-071 a getter asks the handler, and the process goes on`() throws {
        let expected = Self.undecodable[0]
        try write(expected.archive)
        let stack = try stack()
        let context = stack.context()
        let asked = Mutex<[NSPersistentStoreCoordinator.FaultFailure]>([])
        func answer(_ response: NSPersistentStoreCoordinator.FaultFailureResponse) {
            stack.coordinator.faultFailureHandler = { failure in
                asked.withLock { $0.append(failure) }
                return response
            }
        }
        try context.on {
            let thing = try #require(try context.all("Thing").first)
            answer(.endProcess)
            #expect(thing.value(forKey: "badge") == nil && thing.text("name") == "n")
            answer(.makeInaccessible)
            #expect(thing.value(forKey: "badge") == nil && thing.text("name") == nil)
            #expect(!context.hasChanges)
            let failures = asked.withLock { $0 }
            #expect(failures.map(\.key) == ["badge", "badge"])
            #expect(failures.map(\.objectID) == [thing.objectID, thing.objectID])
            for failure in failures { Self.check(failure.error, expected) }
            context.refresh(thing, mergeChanges: false)
            #expect(thing.text("name") == "n")
        }
    }

    @Test func `D-071 a validation that needs the object fails, another one does not`() throws {
        try write(Self.undecodable[0].archive)
        for format in [nil, "SELF BEGINSWITH 'a'"] {
            let context = try stack(mustMeet: format).context()
            try context.on {
                let thing = try #require(try context.all("Thing").first)
                thing.setValue("\(format ?? "none")", forKey: "name")
                guard format != nil else { return try context.save() }
                Self.check(context.saveError(), Self.undecodable[0])
                thing.setValue("b", forKey: "badge")
                #expect(context.saveError()?.code == NSManagedObjectValidationError)
                thing.setValue("a", forKey: "badge")
                try context.save()
                // The next validation reads the object from its archive.
                context.reset()
                let again = try #require(try context.all("Thing").first)
                again.setValue("again", forKey: "name")
                try context.save()
            }
        }
    }

    private static func described(_ name: String) -> ArchiveValue {
        .dictionary([
            ("$classname", .string(name)),
            ("$classes", .array([.string(name), .string("NSObject")])),
        ])
    }

    /// A keyed archive of one object. Element 3 of its list of objects is the string "text".
    private static func archive(_ fields: [String: ArchiveValue], class name: String) -> Data {
        let object = ArchiveValue.dictionary(fields.map { ($0.key, $0.value) })
        return archive([.string("$null"), object, described(name), .string("text")])
    }

    private static func archive(_ objects: [ArchiveValue]) -> Data {
        BinaryPropertyListWriter.data(
            .dictionary([
                ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
                ("$top", .dictionary([("root", .reference(1))])), ("$objects", .array(objects)),
            ]))
    }
}
