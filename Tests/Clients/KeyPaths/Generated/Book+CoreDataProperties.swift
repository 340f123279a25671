import CoreData
import Foundation

extension Book {
    /// A request for all objects of the entity.
    public class func fetchRequest() -> NSFetchRequest<Book> {
        NSFetchRequest<Book>(entityName: "Book")
    }

    public var added: Date? {
        get { managedValue(BookKeys.added) }
        set { setManagedValue(BookKeys.added, newValue) }
    }

    public var author: Author? {
        get { managedValue(BookKeys.author) }
        set { setManagedValue(BookKeys.author, newValue) }
    }

    public var class_: String? {
        get { managedValue(BookKeys.class_) }
        set { setManagedValue(BookKeys.class_, newValue) }
    }

    public var `default`: String? {
        get { managedValue(BookKeys.`default`) }
        set { setManagedValue(BookKeys.`default`, newValue) }
    }

    public var isbn: UUID? {
        get { managedValue(BookKeys.isbn) }
        set { setManagedValue(BookKeys.isbn, newValue) }
    }

    public var pages: Int16 {
        get { managedValue(BookKeys.pages) }
        set { setManagedValue(BookKeys.pages, newValue) }
    }

    public var place: URL? {
        get { managedValue(BookKeys.place) }
        set { setManagedValue(BookKeys.place, newValue) }
    }

    public var price: NSDecimalNumber? {
        get { managedValue(BookKeys.price) }
        set { setManagedValue(BookKeys.price, newValue) }
    }

    public var printed: TimeInterval {
        get { managedValue(BookKeys.printed) }
        set { setManagedValue(BookKeys.printed, newValue) }
    }

    public var rating: Double {
        get { managedValue(BookKeys.rating) }
        set { setManagedValue(BookKeys.rating, newValue) }
    }

    public var ratio: NSNumber? {
        get { managedValue(BookKeys.ratio) }
        set { setManagedValue(BookKeys.ratio, newValue) }
    }

    public var series: Series? {
        get { managedValue(BookKeys.series) }
        set { setManagedValue(BookKeys.series, newValue) }
    }

    public var size: Int64 {
        get { managedValue(BookKeys.size) }
        set { setManagedValue(BookKeys.size, newValue) }
    }

    public var stars: NSNumber? {
        get { managedValue(BookKeys.stars) }
        set { setManagedValue(BookKeys.stars, newValue) }
    }

    public var title: String? {
        get { managedValue(BookKeys.title) }
        set { setManagedValue(BookKeys.title, newValue) }
    }

    public var weight: Float {
        get { managedValue(BookKeys.weight) }
        set { setManagedValue(BookKeys.weight, newValue) }
    }

    public var words: Int32 {
        get { managedValue(BookKeys.words) }
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
