import CoreData
import Shop

struct Case {
    let entity: String
    let key: String
    let descriptor: NSSortDescriptor

    static func of<Root: NSManagedObject, Value>(
        _ key: String, _ path: KeyPath<Root, Value>, ascending: Bool = true
    ) -> Case {
        Case(
            entity: "\(Root.self)", key: key,
            descriptor: NSSortDescriptor(keyPath: path, ascending: ascending))
    }

    static let all: [Case] = own + inherited + paths + handWritten + made

    private static let own = [
        of("title", \Book.title), of("pages", \Book.pages), of("words", \Book.words),
        of("size", \Book.size), of("rating", \Book.rating), of("weight", \Book.weight),
        of("stars", \Book.stars), of("ratio", \Book.ratio), of("price", \Book.price),
        of("isbn", \Book.isbn), of("place", \Book.place), of("added", \Book.added),
        of("printed", \Book.printed), of("default", \Book.default), of("class_", \Book.class_),
        of("name", \Author.name), of("age", \Author.age), of("founded", \Publisher.founded),
        of("volume", \Series.volume, ascending: false),
    ]

    /// Superclasses are in this module and in another one.
    private static let inherited = [
        of("label", \Item.label), of("label", \Book.label), of("number", \Book.number),
        of("created", \Book.created, ascending: false), of("isKept", \Book.isKept),
        of("label", \Journal.label), of("number", \Journal.number, ascending: false),
        of("created", \Journal.created), of("isKept", \Journal.isKept),
    ]

    /// Attributes of objects that are one or two relationships away.
    private static let paths = [
        of("author.name", \Book.author?.name), of("author.age", \Book.author?.age),
        of("author.born", \Book.author?.born), of("series.name", \Book.series?.name),
        of("series.volume", \Book.series!.volume),
        of("author.publisher.name", \Book.author?.publisher?.name),
        of("author.publisher.country", \Book.author?.publisher?.country, ascending: false),
        of("author.publisher.founded", \Book.author!.publisher!.founded),
        of("publisher.name", \Author.publisher?.name),
        of("publisher.founded", \Author.publisher?.founded),
    ]

    private static let handWritten = [
        of("issue", \Journal.issue), of("editor", \Journal.editor), of("fee", \Journal.fee),
        of("due", \Journal.due, ascending: false), of("town", \Library.town),
        of("floors", \Library.floors), of("owner.town", \Journal.owner?.town),
        of("owner.floors", \Journal.owner?.floors),
    ]

    /// Descriptors from `SortDescriptor`, and descriptors with appended key paths.
    private static let made = [
        Case(
            entity: "Book", key: "title",
            descriptor: NSSortDescriptor(SortDescriptor(\Book.title, order: .reverse))),
        Case(
            entity: "Journal", key: "issue",
            descriptor: NSSortDescriptor(SortDescriptor(\Journal.issue))),
        of("author.name", (\Book.author).appending(path: \.?.name)),
        of("author.publisher.name", (\Book.author?.publisher).appending(path: \.?.name)),
    ]
}
