import CoreData
import Foundation

extension Author {
    /// A request for all objects of the entity.
    public class func fetchRequest() -> NSFetchRequest<Author> {
        NSFetchRequest<Author>(entityName: "Author")
    }

    public var age: Int16 {
        @inline(__always) get { managedValue(AuthorKeys.age) }
        set { setManagedValue(AuthorKeys.age, newValue) }
    }

    public var books: NSSet? {
        @inline(__always) get { managedValue(AuthorKeys.books) }
        set { setManagedValue(AuthorKeys.books, newValue) }
    }

    public var born: Date? {
        @inline(__always) get { managedValue(AuthorKeys.born) }
        set { setManagedValue(AuthorKeys.born, newValue) }
    }

    public var name: String? {
        @inline(__always) get { managedValue(AuthorKeys.name) }
        set { setManagedValue(AuthorKeys.name, newValue) }
    }

    public var publisher: Publisher? {
        @inline(__always) get { managedValue(AuthorKeys.publisher) }
        set { setManagedValue(AuthorKeys.publisher, newValue) }
    }
}

extension Author {
    public func addToBooks(_ value: Book) { addMember(value, AuthorKeys.books) }

    public func removeFromBooks(_ value: Book) { removeMember(value, AuthorKeys.books) }

    public func addToBooks(_ values: NSSet) { addMembers(values, AuthorKeys.books) }

    public func removeFromBooks(_ values: NSSet) { removeMembers(values, AuthorKeys.books) }
}

private enum AuthorKeys {
    static let age = ManagedKey("age")
    static let books = ManagedKey("books")
    static let born = ManagedKey("born")
    static let name = ManagedKey("name")
    static let publisher = ManagedKey("publisher")
}

extension Author: Identifiable {}
