import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation

// The model of the tests of key-value coding and observation. Writers have volumes. Volumes have
// tags and ordered chapters.

class Writer: NSManagedObject {
    var first: String? {
        get { managedValue(ManagedKey("first")) }
        set { setManagedValue(ManagedKey("first"), newValue) }
    }
    var last: String? {
        get { managedValue(ManagedKey("last")) }
        set { setManagedValue(ManagedKey("last"), newValue) }
    }
    var volumes: Set<Volume>? {
        get { managedValue(ManagedKey("volumes")) }
        set { setManagedValue(ManagedKey("volumes"), newValue) }
    }
    var fullName: String { [first, last].compactMap(\.self).joined(separator: " ") }
    var mood = 1
    var nickname: String {
        get { (primitiveValue(forKey: "nickname") as? String) ?? "-" }
        set {
            willChangeValue(forKey: "nickname")
            setPrimitiveValue(newValue, forKey: "nickname")
            didChangeValue(forKey: "nickname")
        }
    }

    override class var keyedMembers: [KeyedMember] {
        [
            .property("fullName", of: Writer.self, get: { $0.fullName }),
            .property("mood", of: Writer.self, get: { $0.mood }, set: { $0.mood = $1 }),
            .property("nickname", of: Writer.self, get: { $0.nickname }, set: { $0.nickname = $1 }),
        ]
    }
}

class Volume: NSManagedObject {
    var title: String? {
        get { managedValue(ManagedKey("title")) }
        set { setManagedValue(ManagedKey("title"), newValue) }
    }
    var pages: Int64 {
        get { managedValue(ManagedKey("pages")) }
        set { setManagedValue(ManagedKey("pages"), newValue) }
    }
    var writer: Writer? {
        get { managedValue(ManagedKey("writer")) }
        set { setManagedValue(ManagedKey("writer"), newValue) }
    }
    var tags: Set<NSManagedObject>? {
        get { managedValue(ManagedKey("tags")) }
        set { setManagedValue(ManagedKey("tags"), newValue) }
    }
    var chapters: NSOrderedSet? {
        get { managedValue(ManagedKey("chapters")) }
        set { setManagedValue(ManagedKey("chapters"), newValue) }
    }
}

/// A class with some keys that the model does not have.
final class OpenWriter: Writer {
    var extra: [String: Any] = [:]

    override func value(forUndefinedKey key: String) -> Any? { extra[key] }
    override func setValue(_ value: Any?, forUndefinedKey key: String) { extra[key] = value }
    override func setNilValueForKey(_ key: String) { setValue(0, forKey: key) }
}

enum Press {
    static func model() -> NSManagedObjectModel {
        let writer = GraphModels.entity(
            "Writer", ["first", "last", "nickname"].map(GraphModels.text), Writer.self)
        let open = GraphModels.entity("OpenWriter", [], OpenWriter.self)
        writer.subentities = [open]
        let price = GraphModels.attribute("price", .decimalAttributeType)
        let volume = GraphModels.entity(
            "Volume", [GraphModels.text("title"), GraphModels.number("pages"), price], Volume.self)
        let chapter = GraphModels.entity("Chapter", [GraphModels.text("name")])
        let tag = GraphModels.entity("Tag", [GraphModels.text("name")])
        GraphModels.relate(
            .init(owner: writer, name: "volumes", toMany: true),
            .init(owner: volume, name: "writer"))
        GraphModels.relate(
            .init(owner: volume, name: "chapters", toMany: true, ordered: true),
            .init(owner: chapter, name: "volume"))
        GraphModels.relate(
            .init(owner: volume, name: "tags", toMany: true),
            .init(owner: tag, name: "volumes", toMany: true))
        return GraphModels.model([writer, open, volume, chapter, tag])
    }

    static func stack() throws -> GraphStack {
        try GraphStack(model(), type: NSInMemoryStoreType)
    }
}

extension NSManagedObjectContext {
    func writer(_ first: String? = nil, _ last: String? = nil) -> Writer {
        let made = Writer(context: self)
        made.first = first
        made.last = last
        return made
    }

    func volume(_ title: String? = nil, _ pages: Int64 = 0, by writer: Writer? = nil) -> Volume {
        let made = Volume(context: self)
        made.title = title
        made.pages = pages
        made.writer = writer
        return made
    }
}
