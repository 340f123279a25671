import CoreData

/// Compares the result of a fetch with that of the reference.
struct Query: CustomStringConvertible {
    typealias Identity = ReferenceGraph.Identity

    let engine: EngineGraph
    let number: Int
    let view: ReferenceGraph
    /// The saved graph, because dictionary results contain only saved values.
    let stored: ReferenceGraph
    let kind: ReferenceGraph.Kind
    private let form: Form
    private let condition: Condition

    init(
        engine: EngineGraph, number: Int, view: ReferenceGraph, stored: ReferenceGraph,
        isClean: Bool, kind: ReferenceGraph.Kind, pick: Int
    ) {
        self.engine = engine
        self.number = number
        self.view = view
        self.stored = stored
        self.kind = kind
        let forms = Form.allCases.filter {
            (isClean || $0 != .limited)
                && (!engine.arrangement.isInMemory || $0 != .dictionaries)
        }
        form = forms[pick % forms.count]
        condition = Condition(kind, pick: pick / forms.count, view: view, crossesObjects: isClean)
    }

    var description: String { "query of \(kind)s, \(form), where \(condition)" }

    private enum Form: Int, CaseIterable {
        case sorted, sortedByNumber, realised, prefetched, batched, keysOnly, ids, counted
        case dictionaries, limited
    }

    func run() throws {
        let context = engine.contexts[number]
        try context.performAndWait { try compare(in: context) }
    }

    private func compare(in context: NSManagedObjectContext) throws {
        let expected = view.identities(kind).filter { condition.holds(for: $0, in: view) }
        switch form {
        case .counted:
            let count = try context.count(for: request)
            try expect(count, expected.count, "the count")
        case .ids:
            let request = NSFetchRequest<NSManagedObjectID>(entityName: kind.entityName)
            request.predicate = predicate
            request.resultType = .managedObjectIDResultType
            let found = try context.fetch(request).map { context.object(with: $0) }
            try expect(identities(found).sorted(), expected, "the ids")
        case .dictionaries:
            try compareTable(in: context)
        default:
            let found = identities(try context.fetch(request))
            try compare(found, with: expected)
        }
    }

    private func compare(_ found: [Identity], with expected: [Identity]) throws {
        switch form {
        case .sorted: try expect(found, expected.reversed(), "the list")
        case .limited:
            try expect(found, Array(expected.dropFirst().prefix(2)), "the part")
        case .sortedByNumber:
            let sorted = expected.sorted {
                let first = view.rows[$0]?.number ?? Int.min
                let second = view.rows[$1]?.number ?? Int.min
                return (first, $0) < (second, $1)
            }
            try expect(found, sorted, "the order")
        default: try expect(found.sorted(), expected, "the result")
        }
    }

    private func compareTable(in context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSDictionary>(entityName: kind.entityName)
        request.predicate = predicate
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["identity", "number"]
        let found = try context.fetch(request).map { row in
            ["identity", "number"].map { (row[$0] as? NSNumber)?.intValue }
        }
        let expected = stored.identities(kind).filter { condition.holds(for: $0, in: stored) }
            .map { [$0, stored.rows[$0]?.number] }
        try expect(
            found.sorted { ($0[0] ?? -1) < ($1[0] ?? -1) }, expected, "the table")
    }

    // MARK: Parts

    private var request: NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: kind.entityName)
        request.predicate = predicate
        let byIdentity = NSSortDescriptor(key: "identity", ascending: form != .sorted)
        switch form {
        case .sorted: request.sortDescriptors = [byIdentity]
        case .sortedByNumber:
            request.sortDescriptors = [
                NSSortDescriptor(key: "number", ascending: true), byIdentity,
            ]
        case .limited:
            request.sortDescriptors = [byIdentity]
            request.fetchOffset = 1
            request.fetchLimit = 2
        case .realised: request.returnsObjectsAsFaults = false
        case .prefetched: request.relationshipKeyPathsForPrefetching = kind.relationships
        case .batched: request.fetchBatchSize = 2
        case .keysOnly: request.includesPropertyValues = false
        case .ids, .counted, .dictionaries: break
        }
        return request
    }

    private var predicate: NSPredicate {
        condition.predicate { engine.object($0, in: number) }
    }

    private func identities(_ objects: [NSManagedObject]) -> [Identity] {
        objects.map { Comparison.identity(of: $0) ?? -1 }
    }

    private func expect<T: Equatable>(_ value: T, _ wanted: T, _ name: String) throws {
        if value != wanted {
            throw Failure(
                "\(name) of \(kind)s where \(condition) is \(value) in context \(number), not "
                    + "\(wanted)")
        }
    }
}

extension ReferenceGraph.Kind {
    var relationships: [String] {
        switch self {
        case .author: ["books", "notes"]
        case .book: ["author", "tags"]
        case .note: ["author"]
        case .tag: ["books", "books.author"]
        }
    }
}

/// A condition that the engine and the reference can evaluate.
private enum Condition: CustomStringConvertible {
    typealias Identity = ReferenceGraph.Identity

    case everything
    case number(Int)
    case upTo(Int)
    case above(Int)
    case noText
    case author(Identity?)
    case oneOf([Identity])
    case tagged(Identity)
    case on(Identity)
    case prolific
    case authorNumber(Int)
    case tagNumber(Int)

    init(
        _ kind: ReferenceGraph.Kind, pick: Int, view: ReferenceGraph, crossesObjects: Bool
    ) {
        let numbers = view.rows.values.compactMap(\.number).sorted()
        let value = numbers.isEmpty ? 1 : numbers[pick % numbers.count]
        func one(_ kind: ReferenceGraph.Kind) -> Identity? {
            let all = view.identities(kind)
            return all.isEmpty ? nil : all[pick % all.count]
        }
        var choices: [Condition] = [
            .everything, .number(value), .upTo(value), .above(value), .noText,
            .oneOf(view.identities(kind).filter { ($0 + pick) % 2 == 0 }),
        ]
        switch kind {
        case .author: choices.append(.prolific)
        case .book, .note:
            choices += [.author(nil), .author(one(.author))]
            if crossesObjects { choices.append(.authorNumber(value)) }
            if kind == .book {
                if let tag = one(.tag) { choices.append(.tagged(tag)) }
                if crossesObjects { choices.append(.tagNumber(value)) }
            }
        case .tag: if let book = one(.book) { choices.append(.on(book)) }
        }
        self = choices[(pick / 7) % choices.count]
    }

    func predicate(_ object: (Identity) -> NSManagedObject?) -> NSPredicate {
        let (format, arguments): (String, [Any]) =
            switch self {
            case .everything: ("TRUEPREDICATE", [])
            case .number(let value): ("number == %@", [value])
            case .upTo(let value): ("number <= %@", [value])
            case .above(let value): ("number > %@", [value])
            case .noText: ("text == nil", [])
            case .author(nil): ("author == nil", [])
            case .author(let author?): ("author == %@", [object(author) as Any])
            case .oneOf(let list): ("SELF IN %@", [list.compactMap(object)])
            case .tagged(let tag): ("ANY tags == %@", [object(tag) as Any])
            case .on(let book): ("ANY books == %@", [object(book) as Any])
            case .prolific: ("books.@count > 1", [])
            case .authorNumber(let value): ("author.number == %@", [value])
            case .tagNumber(let value): ("ANY tags.number == %@", [value])
            }
        return NSPredicate(format: format, argumentArray: arguments)
    }

    func holds(for identity: Identity, in graph: ReferenceGraph) -> Bool {
        guard let row = graph.rows[identity] else { return false }
        switch self {
        case .everything: return true
        case .number(let value): return row.number == value
        case .upTo(let value): return row.number.map { $0 <= value } ?? false
        case .above(let value): return row.number.map { $0 > value } ?? false
        case .noText: return row.text == nil
        case .author(let author): return row.author == author
        case .oneOf(let list): return list.contains(identity)
        case .tagged(let tag): return graph.tags(of: identity).contains(tag)
        case .on(let book): return graph.books(of: identity).contains(book)
        case .prolific: return graph.works(of: identity, .book).count > 1
        case .authorNumber(let value):
            return row.author.map { graph.rows[$0]?.number == value } ?? false
        case .tagNumber(let value):
            return graph.tags(of: identity).contains { graph.rows[$0]?.number == value }
        }
    }

    var description: String {
        switch self {
        case .everything: "true"
        case .number(let value): "number == \(value)"
        case .upTo(let value): "number <= \(value)"
        case .above(let value): "number > \(value)"
        case .noText: "text == nil"
        case .author(let author): "author == \(author.map { "#\($0)" } ?? "nil")"
        case .oneOf(let list): "self in \(list)"
        case .tagged(let tag): "any tag == #\(tag)"
        case .on(let book): "any book == #\(book)"
        case .prolific: "there are two books"
        case .authorNumber(let value): "author.number == \(value)"
        case .tagNumber(let value): "any tag.number == \(value)"
        }
    }
}
