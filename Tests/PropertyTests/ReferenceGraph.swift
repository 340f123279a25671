/// The simplest implementation of an object graph. It has rows by number, and pairs of books and
/// tags. It has no faults, snapshots or ids.
struct ReferenceGraph: Equatable {
    /// A number that an object gets at its insertion and keeps.
    typealias Identity = Int

    enum Kind: Int, CaseIterable {
        case author, book, note, tag

        /// The entity of an object. Every third book is a novel.
        func entityName(of identity: Identity) -> String {
            self == .book && identity % 3 == 0 ? "Novel" : entityName
        }

        var entityName: String {
            switch self {
            case .author: "Author"
            case .book: "Book"
            case .note: "Note"
            case .tag: "Tag"
            }
        }

        var hasAuthor: Bool { self == .book || self == .note }
    }

    struct Row: Equatable {
        let kind: Kind
        var number: Int?
        var text: Int?
        var author: Identity?
    }

    struct Pair: Hashable {
        let book: Identity
        let tag: Identity

        func contains(_ identity: Identity) -> Bool { book == identity || tag == identity }
    }

    var rows: [Identity: Row] = [:]
    var pairs: Set<Pair> = []

    func identities(_ kind: Kind) -> [Identity] {
        rows.filter { $0.value.kind == kind }.keys.sorted()
    }

    func works(of author: Identity, _ kind: Kind) -> Set<Identity> {
        Set(rows.filter { $0.value.kind == kind && $0.value.author == author }.keys)
    }

    func tags(of book: Identity) -> Set<Identity> {
        Set(pairs.filter { $0.book == book }.map(\.tag))
    }

    func books(of tag: Identity) -> Set<Identity> {
        Set(pairs.filter { $0.tag == tag }.map(\.book))
    }

    /// The graph with the unsaved changes.
    func applying(_ changes: ReferenceChanges) -> ReferenceGraph {
        var result = self
        for (identity, kind) in changes.inserted { result.rows[identity] = Row(kind: kind) }
        for (identity, edit) in changes.edits {
            guard var row = result.rows[identity] else { continue }
            if let number = edit.number { row.number = number }
            if let text = edit.text { row.text = text }
            if let author = edit.author { row.author = author }
            result.rows[identity] = row
        }
        for identity in changes.deleted { result.rows[identity] = nil }
        result.pairs.formUnion(changes.linked)
        result.pairs.subtract(changes.unlinked)
        result.pairs = result.pairs.filter {
            result.rows[$0.book] != nil && result.rows[$0.tag] != nil
        }
        return result
    }
}

struct ReferenceChanges: Equatable {
    typealias Identity = ReferenceGraph.Identity

    /// New values of an object's properties; nil for a property that is unchanged.
    struct Edit: Equatable {
        var number: Int??
        var text: Int??
        var author: Identity??
    }

    var inserted: [Identity: ReferenceGraph.Kind] = [:]
    var edits: [Identity: Edit] = [:]
    var deleted: Set<Identity> = []
    var linked: Set<ReferenceGraph.Pair> = []
    var unlinked: Set<ReferenceGraph.Pair> = []

    var isEmpty: Bool { self == ReferenceChanges() }

    mutating func link(_ pair: ReferenceGraph.Pair) {
        linked.insert(pair)
        unlinked.remove(pair)
    }

    mutating func unlink(_ pair: ReferenceGraph.Pair) {
        unlinked.insert(pair)
        linked.remove(pair)
    }

    /// Applies the delete rules. The notes of an author are also deleted, and its books have no
    /// author afterwards.
    ///
    /// - Parameter view: the graph with these changes before the deletion.
    mutating func delete(_ identity: Identity, in view: ReferenceGraph) {
        guard let row = view.rows[identity] else { return }
        if row.kind == .author {
            for book in view.works(of: identity, .book) {
                edits[book, default: Edit()].author = .some(nil)
            }
            for note in view.works(of: identity, .note) { delete(note, in: view) }
        }
        for pair in view.pairs where pair.contains(identity) { unlink(pair) }
        edits[identity] = nil
        if inserted.removeValue(forKey: identity) == nil { deleted.insert(identity) }
    }

    /// Discards the changes of one object's row. Changed pairs of a book and a tag stay, because
    /// they belong to both objects. A deleted author stays deleted.
    ///
    /// - Parameter base: the graph without these changes.
    mutating func discard(_ identity: Identity, over base: ReferenceGraph) {
        guard inserted[identity] == nil, let edit = edits.removeValue(forKey: identity) else {
            return
        }
        if edit.author != nil, let author = base.rows[identity]?.author, deleted.contains(author) {
            edits[identity] = Edit(author: .some(nil))
        }
    }

    mutating func compose(_ child: ReferenceChanges) {
        inserted.merge(child.inserted) { _, new in new }
        for (identity, edit) in child.edits {
            var merged = edits[identity] ?? Edit()
            if let number = edit.number { merged.number = .some(number) }
            if let text = edit.text { merged.text = .some(text) }
            if let author = edit.author { merged.author = .some(author) }
            edits[identity] = merged
        }
        for pair in child.linked { link(pair) }
        for pair in child.unlinked { unlink(pair) }
        for identity in child.deleted {
            edits[identity] = nil
            if inserted.removeValue(forKey: identity) == nil { deleted.insert(identity) }
        }
    }

    /// Removes edits that set a property to the value of the base.
    mutating func dropEdits(equalTo base: ReferenceGraph) {
        for (identity, edit) in edits {
            guard let row = base.rows[identity] else { continue }
            if let number = edit.number, number == row.number { edits[identity]?.number = nil }
            if let text = edit.text, text == row.text { edits[identity]?.text = nil }
            if let author = edit.author, author == row.author { edits[identity]?.author = nil }
        }
        edits = edits.filter { $0.value != Edit() }
    }

    func concerns(_ pair: ReferenceGraph.Pair) -> Bool {
        linked.contains(pair) || unlinked.contains(pair)
    }

    /// Drops the changes of rows that another context has deleted, and links to them.
    mutating func dropReferences(to gone: Set<Identity>) {
        for identity in gone {
            edits[identity] = nil
            deleted.remove(identity)
        }
        for (identity, edit) in edits {
            if case .some(.some(let author)) = edit.author, gone.contains(author) {
                edits[identity]?.author = .some(nil)
            }
        }
        linked = linked.filter { !gone.contains($0.book) && !gone.contains($0.tag) }
        unlinked = unlinked.filter { !gone.contains($0.book) && !gone.contains($0.tag) }
    }
}
