import CoreDataModel
import CoreDataStore

extension EngineGraph {
    /// Reads the graph from the store, without the row cache and the contexts.
    func readStore() throws -> ReferenceGraph {
        guard let store = coordinator.persistentStores.first?.backend else {
            throw Failure("the store is gone")
        }
        var reading = StoreReading(store: store)
        for entity in coordinator.frozenModel.layout.entities { try reading.readRows(of: entity) }
        for entity in coordinator.frozenModel.layout.entities { try reading.readPairs(of: entity) }
        try reading.checkInverses(in: coordinator.frozenModel.layout)
        return try reading.finish()
    }
}

/// Reads the rows of a store. All rows are read before links are resolved, because a row may refer
/// to a later one.
private struct StoreReading {
    typealias Identity = ReferenceGraph.Identity

    let store: any ObjectStore
    private var graph = ReferenceGraph()
    private var identities: [ObjectKey: Identity] = [:]
    private var authors: [(Identity, ObjectKey)] = []
    private var links: [(ObjectKey, ObjectKey)] = []

    init(store: any ObjectStore) { self.store = store }

    mutating func readRows(of entity: EntityLayout) throws {
        guard
            let kind = ReferenceGraph.Kind.allCases.first(where: {
                $0.entityName == entity.name || $0.entityName(of: 0) == entity.name
            })
        else { throw Failure("the store has an entity \(entity.name)") }
        let fetched = try store.fetchRows(
            FetchPlan(entity: entity, includesSubentities: false), generation: 0)
        for block in fetched.blocks {
            for index in 0..<block.count { try read(block.cells(at: index), entity, kind) }
        }
    }

    private mutating func read(
        _ cells: UnsafeRawPointer, _ entity: EntityLayout, _ kind: ReferenceGraph.Kind
    ) throws {
        var values: [String: Value] = [:]
        for (slot, property) in entity.values.enumerated() {
            values[property.name] = RowFormat.value(cells, slot: slot, kind: property.kind)
        }
        guard case .integer(let number) = values["identity"] else {
            throw Failure("a row of \(entity.name) has no identity")
        }
        let identity = Identity(number)
        identities[ObjectKey(entity: entity.index, key: RowFormat.key(cells))] = identity
        var row = ReferenceGraph.Row(kind: kind)
        if case .integer(let number) = values["number"] { row.number = Int(number) }
        if case .string(let text) = values["text"] { row.text = Int(text) }
        if case .reference(let author) = values["author"] { authors.append((identity, author)) }
        graph.rows[identity] = row
    }

    mutating func readPairs(of entity: EntityLayout) throws {
        guard let slot = entity.toMany.indices.first(where: { entity.toMany[$0].name == "tags" })
        else { return }
        for owner in identities.keys where Int(owner.entity) == entity.index {
            for tag in try store.destinations(of: owner, slot: slot) { links.append((owner, tag)) }
        }
    }

    /// Checks that each stored link has its inverse in the value or list of the other object.
    func checkInverses(in layout: ModelLayout) throws {
        var lists: Set<Link> = []
        for owner in identities.keys {
            let entity = layout[Int(owner.entity)]
            for slot in entity.toMany.indices {
                for member in try store.destinations(of: owner, slot: slot) {
                    let name = entity.toMany[slot].name
                    guard lists.insert(Link(from: owner, name: name, to: member)).inserted else {
                        throw Failure("#\(identities[owner] ?? -1).\(name) has a member twice")
                    }
                }
            }
        }
        for link in lists where link.name == "tags" || link.name == "books" {
            let isPair = layout[Int(link.from.entity)].name != "Author"
            let back =
                isPair
                ? lists.contains(link.reversed(as: link.name == "tags" ? "books" : "tags"))
                : authors.contains { identities[link.to] == $0.0 && $0.1 == link.from }
            guard back else { throw Failure("\(text(link)) is no link of the other side") }
        }
        for (work, author) in authors {
            guard lists.contains(where: { $0.from == author && identities[$0.to] == work }) else {
                throw Failure("no list of the author has #\(work)")
            }
        }
    }

    private struct Link: Hashable {
        let from: ObjectKey
        let name: String
        let to: ObjectKey

        func reversed(as name: String) -> Link { Link(from: to, name: name, to: from) }
    }

    private func text(_ link: Link) -> String {
        "#\(identities[link.from] ?? -1).\(link.name) has #\(identities[link.to] ?? -1), which"
    }

    func finish() throws -> ReferenceGraph {
        var result = graph
        for (work, key) in authors {
            guard let author = identities[key] else {
                throw Failure("the row of #\(work) names an author that is not in the store")
            }
            result.rows[work]?.author = author
        }
        for (owner, key) in links {
            guard let book = identities[owner], let tag = identities[key] else {
                throw Failure("the join table names a row that is not in the store")
            }
            result.pairs.insert(ReferenceGraph.Pair(book: book, tag: tag))
        }
        return result
    }
}
