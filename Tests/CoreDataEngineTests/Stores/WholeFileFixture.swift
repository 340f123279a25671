import CoreDataModel
import Foundation
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// A store in a single file, which tests also change as another program would.
final class WholeFileFixture {
    let folder: GraphFolder
    let type: String
    private let model = WholeFileFixture.model()

    init(_ type: String) throws {
        folder = try GraphFolder()
        self.type = type
    }

    var url: URL { folder.url.appendingPathComponent("store") }
    /// The temporary file that is written before it replaces the store.
    var pending: URL { folder.url.appendingPathComponent(".store.faultline-new") }

    // MARK: The store

    func context(
        at url: URL? = nil, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url ?? self.url, options: options)
        let context = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: SteppedQueue(label: "c"))
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Saves two things and a shelf. The first thing has a value for every attribute.
    func fill() throws {
        let context = try context()
        try context.on {
            let thing = context.make("Thing", Self.values)
            let other = context.make("Thing", ["text": "b<&>\u{1}ü"])
            let shelf = context.make("Shelf", ["name": "s"])
            shelf.setValue(NSOrderedSet(array: [other, thing]), forKey: "things")
            shelf.setValue(NSSet(array: [thing, other]), forKey: "favourites")
            try context.save()
        }
    }

    func add(_ text: String, _ context: NSManagedObjectContext) throws {
        try context.on {
            context.make("Thing", ["text": text])
            try context.save()
        }
    }

    func texts(_ context: NSManagedObjectContext) throws -> [String] {
        try context.on { try context.all("Thing", sort: "text").compactMap { $0.text("text") } }
    }

    /// Reads every value and every member of the store.
    func content() throws -> String {
        let context = try context()
        return try context.on {
            var lines: [String] = []
            for entity in ["Thing", "Shelf"] {
                for object in try context.all(entity) {
                    let values = object.entity.propertiesByName.keys.sorted().map { name in
                        "\(name)=\(Self.text(object.value(forKey: name)))"
                    }
                    lines.append("\(object.objectID.uriRepresentation().path) \(values)")
                }
            }
            return lines.joined(separator: "\n")
        }
    }

    private static func text(_ value: Any?) -> String {
        func path(_ object: Any) -> String {
            (object as? NSManagedObject)?.objectID.uriRepresentation().path ?? "\(object)"
        }
        switch value {
        case let set as NSOrderedSet: return "\(set.array.map(path))"
        case let set as NSSet: return "\(set.allObjects.map(path).sorted())"
        case let object as NSManagedObject: return path(object)
        case let object?: return "\(object)"
        case nil: return "nil"
        }
    }

    // MARK: The file

    func bytes() throws -> Data { try Data(contentsOf: url) }

    /// Replaces the contents of the file, but not the file itself.
    func overwrite(_ data: Data) throws {
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: data)
        try handle.close()
    }

    /// Replaces a text, which must occur in the file.
    func edit(_ old: String, _ new: String) throws {
        let text = try String(contentsOf: url, encoding: .utf8)
        try #require(text.contains(old), "\(old) is not in \(text)")
        let range = try #require(text.range(of: old))
        try overwrite(Data(text.replacingCharacters(in: range, with: new).utf8))
    }

    /// The error of opening the store and reading its whole content. Nil on success.
    func failure() -> NSError? {
        do {
            _ = try content()
            return nil
        } catch {
            return error as NSError
        }
    }

    // MARK: The model

    static var values: [String: Any] {
        [
            "text": "a", "small": NSNumber(value: Int16.max), "middle": NSNumber(value: Int32.min),
            "large": NSNumber(value: 4_611_686_018_427_387_904), "flag": NSNumber(value: true),
            "real": NSNumber(value: 0.5), "short": NSNumber(value: Float(0.25)),
            "price": NSDecimalNumber(string: "12.5"),
            "date": Date(timeIntervalSinceReferenceDate: 1.25),
            "link": URL(string: "https://example.org/a")! as Any,  // Safe: a constant.
            // Safe: a constant.
            "uuid": UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")! as Any,
            "data": Data([0, 1, 255]),
        ]
    }

    /// Shelf has an ordered and an unordered to-many relationship. Thing has every kind of
    /// attribute. Root is their abstract parent.
    static func model() -> NSManagedObjectModel {
        let types: [(String, NSAttributeType)] = [
            ("text", .stringAttributeType), ("small", .integer16AttributeType),
            ("middle", .integer32AttributeType), ("large", .integer64AttributeType),
            ("flag", .booleanAttributeType), ("real", .doubleAttributeType),
            ("short", .floatAttributeType), ("price", .decimalAttributeType),
            ("date", .dateAttributeType), ("link", .URIAttributeType),
            ("uuid", .UUIDAttributeType), ("data", .binaryDataAttributeType),
        ]
        let thing = GraphModels.entity(
            "Thing",
            types.map { name, type in
                let attribute = GraphModels.text(name)
                attribute.attributeType = type
                return attribute
            })
        let shelf = GraphModels.entity("Shelf", [GraphModels.text("name")])
        let base = GraphModels.entity("Root", [])
        base.isAbstract = true
        base.subentities = [thing, shelf]
        GraphModels.relate(
            GraphModels.End(owner: shelf, name: "things", toMany: true, ordered: true),
            GraphModels.End(owner: thing, name: "shelf"))
        GraphModels.relate(
            GraphModels.End(owner: shelf, name: "favourites", toMany: true),
            GraphModels.End(owner: thing, name: "favouriteOf", toMany: true))
        return GraphModels.model([base, thing, shelf])
    }
}

struct SeededBytes {
    var state: UInt64

    mutating func next(below count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % count
    }

    /// Makes one to three random changes. Bytes are changed, removed, doubled or inserted.
    mutating func mutated(_ data: Data) -> Data {
        var bytes = Array(data)
        for _ in 0...next(below: 3) where !bytes.isEmpty {
            let place = next(below: bytes.count)
            let end = min(bytes.count, place + 1 + next(below: 40))
            switch next(below: 5) {
            case 0: bytes[place] = UInt8(next(below: 256))
            case 1: bytes[place] ^= 1 << UInt8(next(below: 8))
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: next(below: bytes.count))
            default: bytes.replaceSubrange(place..<end, with: [0xFF, 0xFF, 0xFF, 0x7F])
            }
        }
        return Data(bytes)
    }
}

/// Codes of Foundation's file errors.
enum FileCode {
    static let missing = CocoaError.Code.fileNoSuchFile.rawValue
    static let unknown = CocoaError.Code.fileReadUnknown.rawValue
    static let invalidName = CocoaError.Code.fileReadInvalidFileName.rawValue
    static let corrupt = CocoaError.Code.fileReadCorruptFile.rawValue
    static let outOfSpace = CocoaError.Code.fileWriteOutOfSpace.rawValue
}
