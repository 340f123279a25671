import CoreData
import Foundation

extension Book {
    /// A request for all objects of the entity.
    public class func fetchRequest() -> NSFetchRequest<Book> {
        NSFetchRequest<Book>(entityName: "Book")
    }

    public var added: Date? {
        @inline(__always) get { managedValue(BookKeys.added) }
        set { setManagedValue(BookKeys.added, newValue) }
    }

    public var author: Author? {
        @inline(__always) get { managedValue(BookKeys.author) }
        set { setManagedValue(BookKeys.author, newValue) }
    }

    public var class_: String? {
        @inline(__always) get { managedValue(BookKeys.class_) }
        set { setManagedValue(BookKeys.class_, newValue) }
    }

    public var `default`: String? {
        @inline(__always) get { managedValue(BookKeys.`default`) }
        set { setManagedValue(BookKeys.`default`, newValue) }
    }

    public var isbn: UUID? {
        @inline(__always) get { managedValue(BookKeys.isbn) }
        set { setManagedValue(BookKeys.isbn, newValue) }
    }

    public var pages: Int16 {
        @inline(__always) get { managedValue(BookKeys.pages) }
        set { setManagedValue(BookKeys.pages, newValue) }
    }

    public var place: URL? {
        @inline(__always) get { managedValue(BookKeys.place) }
        set { setManagedValue(BookKeys.place, newValue) }
    }

    public var price: NSDecimalNumber? {
        @inline(__always) get { managedValue(BookKeys.price) }
        set { setManagedValue(BookKeys.price, newValue) }
    }

    public var printed: TimeInterval {
        @inline(__always) get { managedValue(BookKeys.printed) }
        set { setManagedValue(BookKeys.printed, newValue) }
    }

    public var rating: Double {
        @inline(__always) get { managedValue(BookKeys.rating) }
        set { setManagedValue(BookKeys.rating, newValue) }
    }

    public var ratio: NSNumber? {
        @inline(__always) get { managedValue(BookKeys.ratio) }
        set { setManagedValue(BookKeys.ratio, newValue) }
    }

    public var series: Series? {
        @inline(__always) get { managedValue(BookKeys.series) }
        set { setManagedValue(BookKeys.series, newValue) }
    }

    public var size: Int64 {
        @inline(__always) get { managedValue(BookKeys.size) }
        set { setManagedValue(BookKeys.size, newValue) }
    }

    public var stars: NSNumber? {
        @inline(__always) get { managedValue(BookKeys.stars) }
        set { setManagedValue(BookKeys.stars, newValue) }
    }

    public var title: String? {
        @inline(__always) get { managedValue(BookKeys.title) }
        set { setManagedValue(BookKeys.title, newValue) }
    }

    public var weight: Float {
        @inline(__always) get { managedValue(BookKeys.weight) }
        set { setManagedValue(BookKeys.weight, newValue) }
    }

    public var words: Int32 {
        @inline(__always) get { managedValue(BookKeys.words) }
        set { setManagedValue(BookKeys.words, newValue) }
    }
}

private enum BookKeys {
    static let added = ManagedKey("added")
    static let author = ManagedKey("author")
    static let class_ = ManagedKey("class_")
    static let `default` = ManagedKey("default")
    static let isbn = ManagedKey("isbn")
    static let pages = ManagedKey("pages")
    static let place = ManagedKey("place")
    static let price = ManagedKey("price")
    static let printed = ManagedKey("printed")
    static let rating = ManagedKey("rating")
    static let ratio = ManagedKey("ratio")
    static let series = ManagedKey("series")
    static let size = ManagedKey("size")
    static let stars = ManagedKey("stars")
    static let title = ManagedKey("title")
    static let weight = ManagedKey("weight")
    static let words = ManagedKey("words")
}
