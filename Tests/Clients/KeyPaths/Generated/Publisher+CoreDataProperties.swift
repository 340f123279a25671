import CoreData
import Foundation

extension Publisher {
    /// A request for all objects of the entity.
    public class func fetchRequest() -> NSFetchRequest<Publisher> {
        NSFetchRequest<Publisher>(entityName: "Publisher")
    }

    public var authors: NSSet? {
        @inline(__always) get { managedValue(PublisherKeys.authors) }
        set { setManagedValue(PublisherKeys.authors, newValue) }
    }

    public var country: String? {
        @inline(__always) get { managedValue(PublisherKeys.country) }
        set { setManagedValue(PublisherKeys.country, newValue) }
    }

    public var founded: Int32 {
        @inline(__always) get { managedValue(PublisherKeys.founded) }
        set { setManagedValue(PublisherKeys.founded, newValue) }
    }

    public var name: String? {
        @inline(__always) get { managedValue(PublisherKeys.name) }
        set { setManagedValue(PublisherKeys.name, newValue) }
    }
}

extension Publisher {
    public func addToAuthors(_ value: Author) { addMember(value, PublisherKeys.authors) }

    public func removeFromAuthors(_ value: Author) { removeMember(value, PublisherKeys.authors) }

    public func addToAuthors(_ values: NSSet) { addMembers(values, PublisherKeys.authors) }

    public func removeFromAuthors(_ values: NSSet) { removeMembers(values, PublisherKeys.authors) }
}

private enum PublisherKeys {
    static let authors = ManagedKey("authors")
    static let country = ManagedKey("country")
    static let founded = ManagedKey("founded")
    static let name = ManagedKey("name")
}

extension Publisher: Identifiable {}
