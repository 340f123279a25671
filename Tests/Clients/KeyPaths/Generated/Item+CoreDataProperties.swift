import CoreData
import Foundation

extension Item {
    /// A request for all objects of the entity.
    public class func fetchRequest() -> NSFetchRequest<Item> {
        NSFetchRequest<Item>(entityName: "Item")
    }

    public var created: Date? {
        @inline(__always) get { managedValue(ItemKeys.created) }
        set { setManagedValue(ItemKeys.created, newValue) }
    }

    public var isKept: Bool {
        @inline(__always) get { managedValue(ItemKeys.isKept) }
        set { setManagedValue(ItemKeys.isKept, newValue) }
    }

    public var label: String? {
        @inline(__always) get { managedValue(ItemKeys.label) }
        set { setManagedValue(ItemKeys.label, newValue) }
    }

    public var number: Int64 {
        @inline(__always) get { managedValue(ItemKeys.number) }
        set { setManagedValue(ItemKeys.number, newValue) }
    }
}

private enum ItemKeys {
    static let created = ManagedKey("created")
    static let isKept = ManagedKey("isKept")
    static let label = ManagedKey("label")
    static let number = ManagedKey("number")
}

extension Item: Identifiable {}
