import CoreData
import Foundation

extension Series {
    /// A request for all objects of the entity.
    public class func fetchRequest() -> NSFetchRequest<Series> {
        NSFetchRequest<Series>(entityName: "Series")
    }

    public var books: NSSet? {
        @inline(__always) get { managedValue(SeriesKeys.books) }
        set { setManagedValue(SeriesKeys.books, newValue) }
    }

    public var name: String? {
        @inline(__always) get { managedValue(SeriesKeys.name) }
        set { setManagedValue(SeriesKeys.name, newValue) }
    }

    public var volume: Int32 {
        @inline(__always) get { managedValue(SeriesKeys.volume) }
        set { setManagedValue(SeriesKeys.volume, newValue) }
    }
}

extension Series {
    public func addToBooks(_ value: Book) { addMember(value, SeriesKeys.books) }

    public func removeFromBooks(_ value: Book) { removeMember(value, SeriesKeys.books) }

    public func addToBooks(_ values: NSSet) { addMembers(values, SeriesKeys.books) }

    public func removeFromBooks(_ values: NSSet) { removeMembers(values, SeriesKeys.books) }
}

private enum SeriesKeys {
    static let books = ManagedKey("books")
    static let name = ManagedKey("name")
    static let volume = ManagedKey("volume")
}

extension Series: Identifiable {}
