import CoreData
import Foundation

/// A class in the style of older code generators.
open class _Tag: NSManagedObject {
    open class func entityName() -> String { "Tag" }
    open class func entity(managedObjectContext: NSManagedObjectContext) -> NSEntityDescription? {
        NSEntityDescription.entity(forEntityName: entityName(), in: managedObjectContext)
    }
    @objc public override init(
        entity: NSEntityDescription, insertInto context: NSManagedObjectContext?
    ) {
        super.init(entity: entity, insertInto: context)
    }
    public convenience init?(managedObjectContext: NSManagedObjectContext) {
        guard let entity = _Tag.entity(managedObjectContext: managedObjectContext) else {
            return nil
        }
        self.init(entity: entity, insertInto: managedObjectContext)
    }
    @NSManaged open var name: String?
    @NSManaged open var children: NSSet
    @NSManaged open var parent: Tag?
    open func childrenSet() -> NSMutableSet { children.mutableCopy() as! NSMutableSet }
}

extension _Tag {
    open func addChildren(_ objects: NSSet) {
        let mutable = children.mutableCopy() as! NSMutableSet
        mutable.union(objects as Set<NSObject>)
        children = mutable.copy() as! NSSet
    }
    open func removeChildrenObject(_ value: Tag) {
        let mutable = children.mutableCopy() as! NSMutableSet
        mutable.remove(value)
        children = mutable.copy() as! NSSet
    }
}

@objc(Tag) open class Tag: _Tag {
    override open func removeChildrenObject(_ value: Tag) {
        super.removeChildrenObject(value)
        name = "removed"
    }
}

extension CodingUserInfoKey {
    static let context = CodingUserInfoKey(rawValue: "context")!
}

/// A class that conforms to `Codable`.
@objc(Quote) final class Quote: NSManagedObject, Codable {
    enum CodingKeys: String, CodingKey { case text, marks }
    @NSManaged var text: String
    @NSManaged private(set) var marks: Int64
    @NSManaged private var primitiveMade: Date
    convenience init(from decoder: Decoder) throws {
        guard let context = decoder.userInfo[.context] as? NSManagedObjectContext else {
            throw CocoaError(.coderReadCorrupt)
        }
        self.init(context: context)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        text = try container.decode(String.self, forKey: .text)
        marks = try container.decodeIfPresent(Int64.self, forKey: .marks) ?? -1
    }
    func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
        try container.encode(marks, forKey: .marks)
    }
    override func awakeFromInsert() {
        super.awakeFromInsert()
        primitiveMade = Date(timeIntervalSinceReferenceDate: 1)
    }
}

class Observing: NSObject {
    let notifier: NotificationCenter = .default
    var heard = 0
    func start() {
        notifier.addObserver(
            self, selector: #selector(type(of: self).changed(_:)),
            name: NSNotification.Name("habit"), object: nil)
        notifier.addObserver(
            self, selector: Selector(("changed:")), name: Notification.Name("habit"), object: nil)
        notifier.addObserver(
            self, selector: Selector("silent"), name: Notification.Name("habit"), object: nil)
        notifier.addObserver(
            self, selector: #selector(Self.silent), name: Notification.Name("habit"), object: nil)
    }
    func stop() {
        notifier.removeObserver(self, name: Notification.Name("other"), object: nil)
        notifier.removeObserver(self)
    }
    @objc func changed(_ note: Notification) { heard += 1 }
    @objc func silent() { heard += 10 }
    static var path: String { Observing.description() + type(of: Observing()).description() }
}

func checkHabits() throws {
    let tag = entity("Tag", [attribute("name", .stringAttributeType)])
    let children = SnippetModel.relationship("children", to: tag, many: true)
    let parent = SnippetModel.relationship("parent", to: tag, many: false)
    children.inverseRelationship = parent
    parent.inverseRelationship = children
    tag.properties += [children, parent]
    let quote = entity(
        "Quote",
        [
            attribute("text", .stringAttributeType), attribute("marks", .integer64AttributeType),
            attribute("made", .dateAttributeType),
        ])
    let context = stack([tag, quote])
    let top = Tag(context: context)
    let low = _Tag(managedObjectContext: context) as! Tag
    top.addChildren(NSSet(object: low))
    expect("a set of a generator's class", top.childrenSet().count, 1)
    expect("its inverse", low.parent, top)
    top.removeChildrenObject(low)
    expect("an open method of an extension", [top.name, low.name], ["removed", nil])
    let decoder = JSONDecoder()
    decoder.userInfo[.context] = context
    let made = try decoder.decode(Quote.self, from: Data(#"{"text": "@objc"}"#.utf8))
    expect("a class that is decoded", [made.text, "\(made.marks)"], ["@objc", "-1"])
    expect("one that is encoded", try JSONEncoder().encode(made).count > 10, true)
    expect(
        "a primitive date", made.value(forKey: "made") as? Date,
        Date(timeIntervalSinceReferenceDate: 1))
    let observing = Observing()
    observing.start()
    NotificationCenter.default.post(name: Notification.Name("habit"), object: nil)
    expect("selectors by type(of:) and by names", observing.heard, 22)
    observing.stop()
    NotificationCenter.default.post(name: Notification.Name("habit"), object: nil)
    expect("a center of another name", observing.heard, 22)
    expect("names of classes", Observing.path, "SourcesApp.ObservingSourcesApp.Observing")
    let sort = NSSortDescriptor(
        key: #keyPath(Tag.name), ascending: true,
        selector: #selector(NSString.localizedCaseInsensitiveCompare))
    expect("a comparison", sort.selector?.description, "localizedCaseInsensitiveCompare:")
}
