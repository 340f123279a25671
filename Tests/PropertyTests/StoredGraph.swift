import CoreDataEngine
import CoreDataModel

extension EngineGraph {
    /// What is in the store, read past row cache and contexts.
    func readStore() throws -> ReferenceGraph {
        guard let store = coordinator.persistentStores.first?.backend else {
            throw Failure("the store is gone")
        }
        var reading = StoreReading(store: store)
        for entity in coordinator.binding.layout.entities { try reading.readRows(of: entity) }
        for entity in coordinator.binding.layout.entities { try reading.readPairs(of: entity) }
        return try reading.finish()
    }
}

/// Collects rows first: what they refer to may come later.
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
