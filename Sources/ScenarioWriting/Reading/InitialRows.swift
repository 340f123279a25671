/// The rows that existed before the first step, as far as they can be derived from the run.
struct InitialRows {
    /// The rows in the order in which they were found.
    private(set) var objects: [RecordedObject] = []
    private(set) var values: [RecordedObject: [String: RecordedValue]] = [:]
    /// The members of relationships that have no to-one inverse.
    private(set) var members: [(owner: RecordedObject, key: String, member: RecordedObject)] = []
    private var made: Set<RecordedObject> = []
    /// The properties that a context has changed. Later reads of them do not show their initial
    /// values.
    private var changed: [RecordedObject: Set<String>] = [:]
    private let names: ModelNames

    init(_ cut: RunCut, _ names: ModelNames) {
        self.names = names
        for operation in cut.operations {
            if case .insert(let object) = operation.action { made.insert(object) }
        }
        takePrelude(cut.setup)
        for operation in cut.operations { take(operation.action) }
    }

    func contains(_ object: RecordedObject) -> Bool { values[object] != nil }

    private mutating func meet(_ object: RecordedObject) {
        guard !made.contains(object), values[object] == nil else { return }
        values[object] = [:]
        objects.append(object)
    }

    private mutating func note(_ object: RecordedObject, _ key: String, _ value: RecordedValue) {
        meet(object)
        for other in value.objects {
            if made.contains(other) { return }
            meet(other)
        }
        guard values[object] != nil, values[object]?[key] == nil,
            changed[object]?.contains(key) != true
        else { return }
        values[object]?[key] = value
    }

    /// Processes the saves before the first step. The last saved value of each property is the
    /// initial value.
    private mutating func takePrelude(_ operations: [RecordedOperation]) {
        var saved: [(RecordedObject, String, RecordedValue)] = []
        for operation in operations {
            switch operation.action {
            case .insert(let object): meet(object)
            case .set(let object, let key, let value, _): saved.append((object, key, value))
            case .link(let owner, let key, let member): noteMember(owner, key, member)
            default: break
            }
        }
        for (object, key, value) in saved.reversed() { note(object, key, value) }
    }

    private mutating func take(_ action: RecordedAction) {
        for object in action.objects { meet(object) }
        switch action {
        case .fetch(let query, let found, _):
            guard let known = query.predicate?.equalities else { return }
            for object in found {
                for (key, value) in known where !key.contains(".") { note(object, key, value) }
            }
        case .read(let object, let key, let value, _): note(object, key, value)
        case .readMembers(let owner, let key, let members, _):
            for member in members { noteMember(owner, key, member) }
        case .set(let object, let key, _, let old):
            if let old { note(object, key, old) }
            changed[object, default: []].insert(key)
        case .commit(let rows, _):
            for row in rows where row.isWritten {
                for (key, value) in row.stored?.values ?? [:] { note(row.object, key, value) }
            }
        default: break
        }
    }

    private mutating func noteMember(
        _ owner: RecordedObject, _ key: String, _ member: RecordedObject
    ) {
        guard !made.contains(owner), !made.contains(member) else { return }
        meet(owner)
        meet(member)
        let relationship = names.relationship(key, of: owner.entity)
        guard let inverse = relationship?.inverse,
            names.relationship(inverse, of: member.entity)?.count == .one
        else {
            if !members.contains(where: { $0 == (owner, key, member) }) {
                members.append((owner, key, member))
            }
            return
        }
        note(member, inverse, .object(owner))
    }
}
