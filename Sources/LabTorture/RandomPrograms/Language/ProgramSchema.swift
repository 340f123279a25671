/// A description of the model of a random program. All models have the same five entities, and
/// differ in details such as delete rules.
struct ProgramSchema: Hashable, Sendable {
    enum Rule: Hashable, Sendable { case nullify, cascade, deny }

    var ordered: Set<ProgramLink> = []
    /// The delete rules. A link without an entry has the rule nullify.
    var rules: [ProgramLink: Rule] = [:]
    var requiresTitle = false
    var requiresAuthor = false

    init() {}

    init(_ dice: inout Dice) {
        for link in [ProgramLink.books, .tags, .children] where dice.chance(40) {
            ordered.insert(link)
        }
        rules[.books] = dice.pick([.nullify, .cascade, .deny])
        rules[.author] = dice.chance(15) ? .cascade : .nullify
        rules[.profile] = dice.chance(50) ? .cascade : .nullify
        rules[.children] = dice.chance(40) ? .cascade : .nullify
        rules[.tags] = dice.chance(15) ? .cascade : .nullify
        requiresTitle = dice.chance(20)
        requiresAuthor = dice.chance(15)
    }

    func rule(_ link: ProgramLink) -> Rule { rules[link] ?? .nullify }

    func requires(_ attribute: ProgramAttribute) -> Bool { attribute == .title && requiresTitle }

    func requires(_ link: ProgramLink) -> Bool { link == .author && requiresAuthor }

    /// The differences from a model in which all links are unordered, optional and nullified.
    var text: String {
        let links = ProgramLink.allCases
        var words = links.filter(ordered.contains).map { "\($0.title) ordered" }
        words += links.filter { rule($0) != .nullify }.map { "\($0.title) \(rule($0))" }
        if requiresTitle { words.append("title required") }
        if requiresAuthor { words.append("author required") }
        return words.joined(separator: ", ")
    }
}

enum ProgramKind: Int, CaseIterable, Comparable, Sendable {
    case author, book, novel, tag, profile

    static func < (first: ProgramKind, second: ProgramKind) -> Bool {
        first.rawValue < second.rawValue
    }

    var entity: String {
        switch self {
        case .author: "Author"
        case .book: "Book"
        case .novel: "Novel"
        case .tag: "Tag"
        case .profile: "Profile"
        }
    }

    var attributes: [ProgramAttribute] {
        switch self {
        case .author: [.name, .score]
        case .book: [.title, .year, .price, .day, .flag]
        case .novel: [.title, .year, .price, .day, .flag, .genre]
        case .tag: [.label, .bytes, .key, .place]
        case .profile: [.about]
        }
    }

    var links: [ProgramLink] {
        switch self {
        case .author: [.books, .profile]
        case .book, .novel: [.author, .tags]
        case .tag: [.tagged, .parent, .children]
        case .profile: [.owner]
        }
    }

    var found: [ProgramKind] { self == .book ? [.book, .novel] : [self] }
}

/// An attribute of random programs. All entities also have `number`, which never changes.
enum ProgramAttribute: String, CaseIterable, Sendable {
    case name, score, title, year, price, day, flag, genre, label, bytes, key, place, about

    enum Form: Sendable { case text, whole, real, decimal, date, flag, bytes, uuid, place }

    var form: Form {
        switch self {
        case .name, .title, .genre, .label, .about: .text
        case .year: .whole
        case .score: .real
        case .price: .decimal
        case .day: .date
        case .flag: .flag
        case .bytes: .bytes
        case .key: .uuid
        case .place: .place
        }
    }

    var initial: ProgramValue? { self == .year ? .whole(7) : nil }
}

/// A relationship. Its inverse is a separate case.
enum ProgramLink: Int, CaseIterable, Comparable, Sendable {
    case books, profile, author, tags, tagged, parent, children, owner

    static func < (first: ProgramLink, second: ProgramLink) -> Bool {
        first.rawValue < second.rawValue
    }

    var name: String {
        switch self {
        case .books, .tagged: "books"
        case .profile: "profile"
        case .author, .owner: "author"
        case .tags: "tags"
        case .parent: "parent"
        case .children: "children"
        }
    }

    var source: ProgramKind {
        switch self {
        case .books, .profile: .author
        case .author, .tags: .book
        case .tagged, .parent, .children: .tag
        case .owner: .profile
        }
    }

    var destination: ProgramKind { inverse.source }

    var inverse: ProgramLink {
        switch self {
        case .books: .author
        case .author: .books
        case .profile: .owner
        case .owner: .profile
        case .tags: .tagged
        case .tagged: .tags
        case .parent: .children
        case .children: .parent
        }
    }

    var isToMany: Bool {
        switch self {
        case .books, .tags, .tagged, .children: true
        case .profile, .author, .parent, .owner: false
        }
    }

    var title: String { "\(source.entity).\(name)" }
}
