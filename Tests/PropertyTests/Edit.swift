import CoreData

/// A change of one object in the engine and in the reference.
struct Edit {
    typealias Identity = ReferenceGraph.Identity

    let runner: SequenceRunner
    let number: Int
    let view: ReferenceGraph
    let identity: Identity
    let pick: Int
    /// The number of the step, from which unique values are created.
    let step: Int

    /// Makes the change.
    ///
    /// - Returns: a description of the change. Nil if no change is possible.
    func apply(_ kind: Operation.Kind, to changes: inout ReferenceChanges) throws -> String? {
        switch kind {
        case .number: try setNumber(&changes)
        case .text: try setText(&changes)
        case .author: try setAuthor(&changes)
        case .addWork, .removeWork: try changeWorks(adding: kind == .addWork, &changes)
        case .replace: try replaceMembers(&changes)
        default: try changeTags(adding: kind == .link, &changes)
        }
    }

    private func setNumber(_ changes: inout ReferenceChanges) throws -> String {
        let value = pick % 5 == 0 ? nil : step
        try set("number", to: value.map { NSNumber(value: $0) })
        changes.edits[identity, default: ReferenceChanges.Edit()].number = .some(value)
        return "#\(identity).number = \(value.map(String.init) ?? "nil")"
    }

    private func setText(_ changes: inout ReferenceChanges) throws -> String {
        let value = pick % 5 == 0 ? nil : step
        try set("text", to: value.map(String.init))
        changes.edits[identity, default: ReferenceChanges.Edit()].text = .some(value)
        return "#\(identity).text = \(value.map(String.init) ?? "nil")"
    }

    private func setAuthor(_ changes: inout ReferenceChanges) throws -> String {
        let author = pick % 4 == 0 ? nil : Self.element(pick / 4, of: view.identities(.author))
        try set("author", to: author.map(object))
        changes.edits[identity, default: ReferenceChanges.Edit()].author = .some(author)
        return "#\(identity).author = \(author.map { "#\($0)" } ?? "nil")"
    }

    /// Adds a work to an author, which removes it from its former author, or removes a work.
    private func changeWorks(
        adding: Bool, _ changes: inout ReferenceChanges
    ) throws -> String? {
        let kind: ReferenceGraph.Kind = pick % 2 == 0 ? .book : .note
        let own = view.works(of: identity, kind)
        let works = adding ? view.identities(kind).filter { !own.contains($0) } : own.sorted()
        guard let work = Self.element(pick / 2, of: works) else { return nil }
        try change(kind == .book ? "books" : "notes", adding: adding, work)
        changes.edits[work, default: ReferenceChanges.Edit()].author = .some(
            adding ? identity : nil)
        return "#\(identity).\(kind)s \(adding ? "+" : "-") #\(work)"
    }

    private func changeTags(
        adding: Bool, _ changes: inout ReferenceChanges
    ) throws -> String? {
        let tags = adding ? view.identities(.tag) : view.tags(of: identity).sorted()
        guard let tag = Self.element(pick / 2, of: tags) else { return nil }
        let pair = pair(with: tag)
        guard view.pairs.contains(pair) != adding, !isOfAnother(pair) else { return nil }
        if pick % 2 == 0 {
            try change("tags", adding: adding, tag)
        } else {
            let other = Edit(
                runner: runner, number: number, view: view, identity: tag, pick: pick,
                step: step)
            try other.change("books", adding: adding, identity)
        }
        if adding { changes.link(pair) } else { changes.unlink(pair) }
        return "#\(identity).tags \(adding ? "+" : "-") #\(tag)"
            + (pick % 2 == 0 ? "" : " from the tag's side")
    }

    /// Replaces all members of an author or a book.
    private func replaceMembers(_ changes: inout ReferenceChanges) throws -> String? {
        guard view.rows[identity]?.kind == .author else { return try replaceTags(&changes) }
        let kind: ReferenceGraph.Kind = pick % 2 == 0 ? .book : .note
        let wanted = subset(of: view.identities(kind))
        let own = view.works(of: identity, kind)
        if own == Set(wanted) { return nil }
        try set("\(kind)s", members: wanted)
        for work in own.symmetricDifference(wanted) {
            changes.edits[work, default: ReferenceChanges.Edit()].author = .some(
                own.contains(work) ? nil : identity)
        }
        return "#\(identity).\(kind)s = \(wanted)"
    }

    private func replaceTags(_ changes: inout ReferenceChanges) throws -> String? {
        let own = view.tags(of: identity)
        var wanted = subset(of: view.identities(.tag))
        for tag in own.symmetricDifference(wanted).sorted() where isOfAnother(pair(with: tag)) {
            if own.contains(tag) { wanted.append(tag) } else { wanted.removeAll { $0 == tag } }
        }
        if own == Set(wanted) { return nil }
        try set("tags", members: wanted)
        for tag in own.symmetricDifference(wanted) {
            if own.contains(tag) {
                changes.unlink(pair(with: tag))
            } else {
                changes.link(pair(with: tag))
            }
        }
        return "#\(identity).tags = \(wanted)"
    }

    /// A part of the list. The bits of `pick` decide which elements it contains, and in which
    /// order.
    private func subset(of list: [Identity]) -> [Identity] {
        var kept = list.enumerated().filter { (pick >> (1 + $0.offset % 12)) & 1 == 1 }
            .map(\.element)
        if pick % 4 > 1 { kept.reverse() }
        return kept
    }

    private func pair(with tag: Identity) -> ReferenceGraph.Pair {
        ReferenceGraph.Pair(book: identity, tag: tag)
    }

    /// Whether another context has an unsaved change of the pair. The reference does not define
    /// which change wins.
    private func isOfAnother(_ pair: ReferenceGraph.Pair) -> Bool {
        runner.changes.enumerated().contains { $0.offset != number && $0.element.concerns(pair) }
    }

    private static func element(_ pick: Int, of list: [Identity]) -> Identity? {
        list.isEmpty ? nil : list[pick % list.count]
    }

    // MARK: The engine's side

    private func object(_ identity: Identity) throws -> NSManagedObject {
        guard let object = runner.engine.object(identity, in: number) else {
            throw Failure("#\(identity) is unknown in context \(number)")
        }
        return object
    }

    private func set(_ key: String, to value: Any?) throws {
        let object = try object(identity)
        runner.engine.contexts[number].performAndWait { object.setValue(value, forKey: key) }
    }

    private func change(_ key: String, adding: Bool, _ member: Identity) throws {
        let object = try object(identity)
        let member = try self.object(member)
        runner.engine.contexts[number].performAndWait {
            if object.entity.relationshipsByName[key]?.isOrdered == true {
                let members = object.mutableOrderedSetValue(forKey: key)
                if adding {
                    members.insert(member, at: pick % (members.count + 1))
                } else {
                    members.remove(member)
                }
                return
            }
            let members = object.mutableSetValue(forKey: key)
            if adding { members.add(member) } else { members.remove(member) }
        }
    }

    private func set(_ key: String, members: [Identity]) throws {
        let object = try object(identity)
        let members = try members.map(self.object)
        runner.engine.contexts[number].performAndWait {
            let isOrdered = object.entity.relationshipsByName[key]?.isOrdered == true
            object.setValue(
                isOrdered ? NSOrderedSet(array: members) : Set(members), forKey: key)
        }
    }
}
