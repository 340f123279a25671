import CoreData

protocol Managed: AnyObject {
    associatedtype Key: Hashable
    static var entityName: String { get }
    var key: Key { get }
}
extension Managed where Self: NSManagedObject {
    static func all(in context: NSManagedObjectContext) throws -> [Self] {
        let request = NSFetchRequest<Self>(entityName: entityName)
        request.sortDescriptors = [NSSortDescriptor(key: #keyPath(Item.order), ascending: true)]
        return try context.fetch(request)
    }
    static func insert(into context: NSManagedObjectContext) -> Self { Self(context: context) }
}

enum Schema {
    enum V1 {
        @objc(SchemaItem) class Item: NSManagedObject {
            @NSManaged var order: Int32
            @NSManaged var label: String?
            @objc private(set) lazy var cached: String = label ?? "none"
            enum Kind: String { case a, b }
            @NSManaged private var kindName: String?
            var kind: Kind? {
                get { kindName.flatMap(Kind.init(rawValue:)) }
                set { kindName = newValue?.rawValue }
            }
            struct Snapshot { let order: Int32, label: String? }
            var snapshot: Snapshot { .init(order: order, label: label) }
        }
    }
    struct Hidden {
        @objc(HiddenItem) private class Item: NSManagedObject { @NSManaged var order: Int32 }
        static func make(_ context: NSManagedObjectContext) -> Int32 {
            let item = Item(context: context)
            item.order = 9
            return item.order
        }
    }
}
typealias Item = Schema.V1.Item

extension Item: Managed {
    static var entityName: String { "Item" }
    var key: NSManagedObjectID { objectID }
}

class Store<Object: NSManagedObject & Managed> where Object.Key == NSManagedObjectID {
    let context: NSManagedObjectContext
    init(_ context: NSManagedObjectContext) { self.context = context }
    func add(_ change: (Object) -> Void) -> Object.Key {
        let object = Object.insert(into: context)
        change(object)
        return object.key
    }
    @objc func reset() { context.reset() }
    func first<Value>(_ path: KeyPath<Object, Value>) throws -> Value? {
        try Object.all(in: context).first?[keyPath: path]
    }
}
extension Store where Object == Item {
    func labels() throws -> [String] { try Item.all(in: context).compactMap(\.label) }
}
extension Array where Element: Item { var orders: [Int32] { map(\.order) } }

@propertyWrapper struct Trimmed {
    private var value = ""
    var wrappedValue: String {
        get { value }
        set { value = newValue.trimmingCharacters(in: .whitespaces) }
    }
    init(wrappedValue: String) { self.wrappedValue = wrappedValue }
}
@resultBuilder enum Lines {
    static func buildBlock(_ parts: String...) -> String { parts.joined(separator: "\n") }
    static func buildOptional(_ part: String?) -> String { part ?? "" }
}
class Form: NSObject {
    @objc dynamic var plain = ""
    @Trimmed @objc var name = " a "
    @Lines @objc var text: String {
        "line"
        #keyPath(Form.plain)
        if name.isEmpty { "@NSManaged" }
    }
    @Lines func built(@Lines _ more: () -> String) -> String {
        "\(#selector(Form.reset))"
        more()
    }
    @objc func reset() { name = "" }
}

@objc protocol Shape: NSObjectProtocol {
    @objc var area: Double { get }
    @objc(scaleBy:) func scale(_ factor: Double)
    static func unit() -> Self
}
final class Square: NSObject, Shape {
    @objc dynamic private var side: Double
    required init(side: Double) { self.side = side }
    @objc var area: Double { side * side }
    @objc(scaleBy:) func scale(_ factor: Double) { side *= factor }
    @objc static func unit() -> Self { Self(side: 1) }
}
@objc final class Holder: NSObject {
    @objc class Inner: NSObject { @objc enum State: Int { case on, off } }
    @objc var handler: (@convention(block) (Int) -> Int)? = { $0 + 1 }
    @objc var shapes: [any Shape] = []
}

func checkTypes() throws {
    let item = entity(
        "Item",
        [
            attribute("order", .integer32AttributeType), attribute("label", .stringAttributeType),
            attribute("kindName", .stringAttributeType),
        ], className: "SchemaItem")
    let hidden = entity(
        "Hidden", [attribute("order", .integer32AttributeType)], className: "HiddenItem")
    let store = Store<Item>(stack([item, hidden]))
    _ = store.add { $0.order = 2 }
    _ = store.add {
        $0.label = "first"
        $0.order = 1
        $0.kind = .b
    }
    try store.context.save()
    expect("a generic fetch with #keyPath", try Item.all(in: store.context).orders, [1, 2])
    expect("a conditional extension", try store.labels(), ["first"])
    expect("a key path in a generic store", try store.first(\.label), "first")
    expect("a nested enumeration", try store.first(\.kind), .b)
    expect("a nested structure", try store.first(\.snapshot.order), 1)
    expect("an @objc lazy variable", try store.first(\.cached), "first")
    expect("a private class in a structure", Schema.Hidden.make(store.context), 9)
    store.context.rollback()
    store.reset()
    expect("an @objc method of a generic class", store.context.registeredObjects.isEmpty, true)
    let form = Form()
    expect("a property wrapper with @objc", form.name, "a")
    expect("a result builder with @objc", form.text, "line\nplain\n")
    expect("a builder with #selector", form.built { "more" }, "reset\nmore")
    let shape: any Shape = Square.unit()
    shape.scale(3)
    expect("an @objc protocol", shape.area, 9)
    expect("a nested @objc enumeration", Holder.Inner.State.off.rawValue, 1)
    expect("a block", Holder().handler?(1), 2)
    localTypes()
}

private func localTypes() {
    @objc(LocalName) class Local: NSObject {
        @objc dynamic var value = 3
        @objc func read() -> String { #keyPath(Local.value) + "\(#selector(Local.read))" }
    }
    expect("a local class", Local().read(), "valueread")
}
