import LabRunner
import LabScenario

/// The unsaved changes of one session of ``SerialReference``, with the graph that the session
/// reads.
struct SerialChanges {
    typealias NotUnderstood = SerialReference.NotUnderstood

    let model: ModelView
    private(set) var stored: StoredGraph
    private var graph: StoredGraph
    /// Deleted objects whose delete rules have not been applied yet.
    private var doomed: [String] = []
    private var hasNewLinks = false
    /// The expected results of the session's reads, by name.
    private(set) var reads: [String: String] = [:]

    init(model: ModelView, stored: StoredGraph) {
        self.model = model
        self.stored = stored
        for (name, object) in stored.objects {
            for attribute in model.entity(object.entity)?.attributes ?? []
            where attribute.isTransient {
                self.stored.objects[name]?.attributes[attribute.name] = "nil"
            }
        }
        graph = self.stored
    }

    /// - Returns: false if the statement fails. The step then ends.
    mutating func run(_ action: Action) throws(NotUnderstood) -> Bool {
        switch action {
        case .object(let action): return try run(action)
        case .context(let action): try run(action)
        case .list, .look, .batch, .setting, .stack: throw NotUnderstood("another verb")
        }
        return true
    }

    private mutating func run(_ action: ObjectAction) throws(NotUnderstood) -> Bool {
        switch action {
        case .insert(let entity, let name?, let values):
            return try insert(entity.value, name.value, values)
        case .set(let assignments):
            for assignment in assignments {
                guard assignment.path.keys.count == 1 else { throw NotUnderstood("a path") }
                let key = assignment.path.keys[0].value
                let owner = try object(assignment.path.object)
                if try !set(owner, key, assignment.value) { return false }
            }
        case .relate(let path, let others): try relate(path, others, adds: true)
        case .unrelate(let path, let others): try relate(path, others, adds: false)
        case .delete(let reference): doomed.append(try object(reference))
        case .refresh(let reference, let keeps):
            let name = try looked(at: reference)
            if !keeps { try discard(name) }
        case .read(let path, let name):
            let owner = try looked(at: path.object)
            if let name, path.keys.count == 1 {
                reads[name.value] = try value(of: owner, path.keys[0].value)
            }
        case .fire(let reference): _ = try looked(at: reference)
        case .insert, .make, .register, .order, .adopt, .lookUp, .release, .detectConflicts,
            .obtainIDs, .state:
            throw NotUnderstood("another verb")
        }
        return true
    }

    private mutating func run(_ action: ContextAction) throws(NotUnderstood) {
        switch action {
        case .processPending: _ = try process()
        case .rollback:
            graph = stored
            doomed = []
            hasNewLinks = false
        case .save, .refreshAll, .reset, .undo, .redo, .merge, .mergeRemote,
            .mergeHistory, .pin, .unpin, .state, .hookSaw:
            throw NotUnderstood("another verb")
        }
    }

    private func looked(at reference: ObjectReference) throws(NotUnderstood) -> String {
        if !doomed.isEmpty { throw NotUnderstood("a read of a deleted object") }
        return try object(reference)
    }

    // MARK: Objects and values

    private func object(_ reference: ObjectReference) throws(NotUnderstood) -> String {
        let name = reference.name.value
        guard reference.context == nil, graph.objects[name] != nil, !doomed.contains(name) else {
            throw NotUnderstood("a deleted object")
        }
        return name
    }

    private func entity(of name: String) throws(NotUnderstood) -> ModelView.Entity {
        guard let entity = graph.objects[name].flatMap({ model.entity($0.entity) }) else {
            throw NotUnderstood("a deleted object")
        }
        return entity
    }

    private func relationship(
        _ key: String, of name: String
    ) throws(NotUnderstood) -> ModelView.Relationship? {
        try entity(of: name).relationships.first { $0.name == key }
    }

    /// The result of a read; nil for a transient value.
    private func value(of name: String, _ key: String) throws(NotUnderstood) -> String? {
        guard let relationship = try relationship(key, of: name) else {
            let attribute = try entity(of: name).attributes.first { $0.name == key }
            return attribute?.isTransient == false ? graph.objects[name]?.attributes[key] : nil
        }
        let members = members(of: name, key)
        return relationship.arity == .one ? members.first ?? "nil" : String(members.count)
    }

    private mutating func insert(
        _ entity: String, _ name: String, _ values: [Assignment]
    ) throws(NotUnderstood) -> Bool {
        guard let described = model.entity(entity), graph.objects[name] == nil,
            stored.objects[name] == nil
        else { throw NotUnderstood("a name that is already bound") }
        var object = StoredGraph.Object(entity: entity)
        for attribute in described.attributes {
            object.attributes[attribute.name] =
                attribute.defaultValue.flatMap { SerialValues.text($0, attribute.type) } ?? "nil"
        }
        for relationship in described.relationships {
            object.relationships.insert(relationship.name)
            if relationship.arity != .one { object.toMany[relationship.name] = [] }
        }
        graph.objects[name] = object
        for assignment in values {
            if try !set(name, assignment.key.value, assignment.value) { return false }
        }
        return true
    }

    private mutating func set(
        _ name: String, _ key: String, _ value: StepValue
    ) throws(NotUnderstood) -> Bool {
        if let relationship = try relationship(key, of: name) {
            switch value {
            case .literal(let literal) where literal.value == .null:
                try point(name, relationship, to: nil)
            case .reference(let reference): try point(name, relationship, to: try object(reference))
            default: throw NotUnderstood("a computed link")
            }
            return true
        }
        guard let attribute = try entity(of: name).attributes.first(where: { $0.name == key })
        else { throw NotUnderstood("another key") }
        guard let text = try text(of: value, attribute) else { return false }
        graph.objects[name]?.attributes[key] = text
        return true
    }

    private func text(
        of value: StepValue, _ attribute: ModelView.Attribute
    ) throws(NotUnderstood) -> String? {
        switch value {
        case .literal(let literal):
            guard let text = SerialValues.text(literal.value, attribute.type) else {
                throw NotUnderstood("a value")
            }
            return text
        case .sum(let left, let right), .difference(let left, let right):
            guard case .path(let path) = left, path.keys.count == 1,
                case .literal(let literal) = right, case .integer(let number) = literal.value
            else { throw NotUnderstood("a sum") }
            let owner = try object(path.object)
            guard
                let old = graph.objects[owner]?.attributes[path.keys[0].value].flatMap({
                    Int64($0)
                })
            else { return nil }
            var sign: Int64 = 1
            if case .difference = value { sign = -1 }
            let (sum, overflow) = old.addingReportingOverflow(sign * number)
            return overflow ? nil : SerialValues.text(.integer(sum), attribute.type)
        default: throw NotUnderstood("a value")
        }
    }

    private mutating func discard(_ name: String) throws(NotUnderstood) {
        // A link has two ends. Refreshing one object would discard only one of them.
        guard let old = stored.objects[name], !hasNewLinks else {
            throw NotUnderstood("a refresh with unsaved links")
        }
        graph.objects[name]?.attributes = old.attributes
    }

    // MARK: Links

    private mutating func relate(
        _ path: ObjectPath, _ others: [ObjectReference], adds: Bool
    ) throws(NotUnderstood) {
        guard path.keys.count == 1 else { throw NotUnderstood("a path") }
        let owner = try object(path.object)
        guard let relationship = try relationship(path.keys[0].value, of: owner) else {
            throw NotUnderstood("another key")
        }
        var names: [String] = []
        for other in others { names.append(try object(other)) }
        guard relationship.arity != .one else {
            return try point(owner, relationship, to: adds ? names.first : nil)
        }
        for name in names {
            if adds {
                try link(owner, relationship, name)
            } else {
                try unlink(owner, relationship, name)
            }
        }
    }

    private mutating func noteLink(_ one: String, _ other: String?) throws(NotUnderstood) {
        if one == other { throw NotUnderstood("an object that is related to itself") }
        if !doomed.isEmpty { throw NotUnderstood("a link of a deleted object") }
        hasNewLinks = true
    }

    private mutating func point(
        _ name: String, _ relationship: ModelView.Relationship, to other: String?
    ) throws(NotUnderstood) {
        try noteLink(name, other)
        let old = graph.objects[name]?.toOne[relationship.name]
        if old == other { return }
        if let old { removeBack(old, relationship, name) }
        graph.objects[name]?.toOne[relationship.name] = other
        if let other { try addBack(other, relationship, name) }
    }

    private mutating func link(
        _ name: String, _ relationship: ModelView.Relationship, _ other: String
    ) throws(NotUnderstood) {
        try noteLink(name, other)
        let members = graph.objects[name]?.toMany[relationship.name] ?? []
        if members.contains(other) { return }
        // The member's row stores its owner in one column. If a second owner adds the member, it
        // disappears from the first owner's list.
        if relationship.inverse == nil,
            graph.objects.values.contains(where: {
                $0.toMany[relationship.name]?.contains(other) ?? false
            })
        {
            throw NotUnderstood("a member of two lists without an inverse")
        }
        graph.objects[name]?.toMany[relationship.name] = members + [other]
        try addBack(other, relationship, name)
    }

    /// A required list that is empty, because another list without an inverse took its members.
    /// Validation does not detect this.
    private static let emptyList = NotUnderstood("a required list that was empty before")

    private mutating func unlink(
        _ name: String, _ relationship: ModelView.Relationship, _ other: String
    ) throws(NotUnderstood) {
        try noteLink(name, other)
        let members = graph.objects[name]?.toMany[relationship.name] ?? []
        guard members.contains(other) else {
            // The engine sets the relationship even if nothing was removed, so the save validates
            // it.
            if relationship.isRequired, members.isEmpty { throw Self.emptyList }
            return
        }
        graph.objects[name]?.toMany[relationship.name] = members.filter { $0 != other }
        removeBack(other, relationship, name)
    }

    /// Updates the inverse end of a link to `name`, and removes the link that the inverse had
    /// before.
    private mutating func addBack(
        _ other: String, _ relationship: ModelView.Relationship, _ name: String
    ) throws(NotUnderstood) {
        guard let inverse = relationship.inverse else { return }
        guard graph.objects[other] != nil else { throw NotUnderstood("a deleted object") }
        if let members = graph.objects[other]?.toMany[inverse] {
            if stored.objects[other]?.toMany[inverse]?.contains(name) == true,
                !members.contains(name),
                try self.relationship(inverse, of: other)?.arity == .ordered
            {
                // If the engine has not read the list, the object keeps its position in it.
                throw NotUnderstood("a list that an object has left and joined again")
            }
            if !members.contains(name) { graph.objects[other]?.toMany[inverse] = members + [name] }
            return
        }
        if let before = graph.objects[other]?.toOne[inverse], before != name {
            remove(other, from: relationship.name, of: before)
        }
        graph.objects[other]?.toOne[inverse] = name
    }

    private mutating func removeBack(
        _ other: String, _ relationship: ModelView.Relationship, _ name: String
    ) {
        if let inverse = relationship.inverse { remove(name, from: inverse, of: other) }
    }

    private mutating func remove(_ name: String, from key: String, of owner: String) {
        graph.objects[owner]?.toMany[key]?.removeAll { $0 == name }
        if graph.objects[owner]?.toOne[key] == name { graph.objects[owner]?.toOne[key] = nil }
    }

    // MARK: Deleting and saving

    /// Applies delete rules, and returns whether a rule denies the deletion.
    private mutating func process() throws(NotUnderstood) -> Bool {
        var next = 0
        while next < doomed.count {
            let name = doomed[next]
            next += 1
            for relationship in try entity(of: name).relationships {
                for member in members(of: name, relationship.name) where member != name {
                    try follow(relationship, from: name, to: member)
                }
            }
        }
        for name in doomed {
            let isDenied = try entity(of: name).relationships.contains { relationship in
                relationship.rule == .deny && stored.objects[name] != nil
                    && members(of: name, relationship.name).contains { !doomed.contains($0) }
            }
            if isDenied { return true }
        }
        for name in doomed { graph.objects[name] = nil }
        let gone = Set(doomed)
        doomed = []
        // Without an inverse, an object keeps its reference to the deleted row.
        let isLeft = graph.objects.values.contains { object in
            object.relationships.contains { key in
                !gone.isDisjoint(with: object.toMany[key] ?? object.toOne[key].map { [$0] } ?? [])
            }
        }
        if isLeft { throw NotUnderstood("a link to a deleted object") }
        if !gone.isEmpty { hasNewLinks = true }
        return false
    }

    private mutating func follow(
        _ relationship: ModelView.Relationship, from name: String, to member: String
    ) throws(NotUnderstood) {
        guard graph.objects[member] != nil else { throw NotUnderstood("a deleted object") }
        switch relationship.rule {
        case .cascade: if !doomed.contains(member) { doomed.append(member) }
        case .nullify: removeBack(member, relationship, name)
        case .noAction: throw NotUnderstood("a link to a deleted object")
        case .deny: if stored.objects[name] == nil { removeBack(member, relationship, name) }
        }
    }

    private func members(of name: String, _ key: String) -> [String] {
        let object = graph.objects[name]
        return object?.toMany[key] ?? object?.toOne[key].map { [$0] } ?? []
    }

    mutating func save() throws(NotUnderstood) -> Bool {
        if try process() { return false }
        for (name, object) in graph.objects where stored.objects[name] != object {
            let entity = try entity(of: name)
            let isWhole =
                entity.attributes.allSatisfy {
                    !$0.isRequired || $0.isTransient || object.attributes[$0.name] != "nil"
                }
                && entity.relationships.allSatisfy {
                    !$0.isRequired || !members(of: name, $0.name).isEmpty
                }
            if isWhole { continue }
            let wasEmpty = entity.relationships.contains {
                $0.isRequired && stored.objects[name]?.toMany[$0.name]?.isEmpty == true
            }
            if wasEmpty { throw Self.emptyList }
            return false
        }
        stored = graph
        hasNewLinks = false
        return true
    }
}
