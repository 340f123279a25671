import ScenarioWords

extension StepBuilder {
    /// Whether a scenario can express the property. If not, adds a note once for each property.
    private mutating func canSay(_ key: String, of object: RecordedObject, _ context: Int) -> Bool {
        if names.relationship(key, of: object.entity) != nil { return true }
        let isTyped = names.attribute(key, of: object.entity)?.kind != nil
        if isTyped, ScenarioName.isWord(key) { return true }
        let property = ContextMemory.Property(object: object, key: key)
        if memories[context].read.insert(property).inserted {
            leaveOut(
                "\(object.entity).\(key), whose \(isTyped ? "name" : "type") a scenario does not"
                    + " have", context)
        }
        return false
    }

    mutating func lookUp(_ object: RecordedObject, _ context: Int) {
        let name = name(object, context)
        if makers[object] == context { return }
        if memories[context].realised.insert(object).inserted {
            say("fire \(name)", in: context, isLocal: true, joins: false)
        }
    }

    mutating func read(
        _ object: RecordedObject, _ key: String, _ value: RecordedValue, _ context: Int
    ) {
        guard canSay(key, of: object, context) else { return }
        let property = ContextMemory.Property(object: object, key: key)
        let isAgain = memories[context].readAgain.remove(property) != nil
        guard memories[context].read.insert(property).inserted || isAgain else { return }
        let isFirst = memories[context].realised.insert(object).inserted
        say(
            "read \(name(object, context)).\(key)", in: context, isLocal: true, joins: !isFirst)

    }

    mutating func readMembers(
        _ object: RecordedObject, _ key: String, _ count: Int, _ context: Int
    ) {
        memories[context].realised.insert(object)
        let bound = fresh("n")
        say(
            "read \(name(object, context)).\(key) -> \(bound)", in: context, isLocal: true,
            joins: false)
        memories[context].counts[object] = (bound, count)
    }

    /// Writes the statement for any action on objects except reading and setting values.
    mutating func objectStep(_ action: RecordedAction, _ context: Int) {
        switch action {
        case .obtainIDs(let objects):
            let list = objects.map { name($0, context) }.joined(separator: ", ")
            if !list.isEmpty { say("obtain-ids \(list)", in: context) }
        case .detectConflicts(let object):
            say("detect-conflicts \(name(object, context))", in: context)
        case .fire(let object):
            if memories[context].realised.insert(object).inserted {
                say("fire \(name(object, context))", in: context, isLocal: true, joins: false)
            }
        case .takeFault(let object): takeFault(object, context)
        case .order(let object, let key, let members): order(object, key, members, context)
        case .lookAt(let object, let state):
            say("state \(name(object, context)) \(state)", in: context, isLocal: true)
        case .changedKeys(let object):
            say("changed \(name(object, context))", in: context, isLocal: true)
        case .committed(let object, let keys):
            for key in keys where canSay(key, of: object, context) {
                memories[context].realised.insert(object)
                say("committed \(name(object, context)).\(key)", in: context, isLocal: true)
            }
        default: break
        }
    }

    /// Writes a statement that requests an object by its ID, if another context created the object
    /// during the run.
    private mutating func takeFault(_ object: RecordedObject, _ context: Int) {
        guard !initial.contains(object), memories[context].aliases[object] == nil,
            let maker = makers[object], maker != context
        else { return }
        let own = objectNames.name(object)
        let alias = "\(own)-\(sessions[context].name)"
        memories[context].aliases[object] = alias
        say("look-up \(own)@\(sessions[maker].name) as \(alias)", in: context, isLocal: true)
    }

    private mutating func order(
        _ object: RecordedObject, _ key: String, _ members: [RecordedObject], _ context: Int
    ) {
        guard (1...20).contains(members.count) else {
            let what = "an order of \(members.count) members of \(object.entity).\(key)"
            if !members.isEmpty { leaveOut(what, context) }
            return
        }
        let owner = name(object, context)
        let list = members.map { name($0, context) }.joined(separator: ", ")
        say("order \(owner).\(key) as \(list)", in: context, isLocal: true)
    }

    // MARK: Inserting

    mutating func beginInsert(_ object: RecordedObject, _ context: Int) {
        makers[object] = makers[object] ?? context
        memories[context].draft = ContextMemory.InsertDraft(
            object: object, name: objectNames.name(object))
        memories[context].realised.insert(object)
    }

    /// Writes the statement that inserts an object, with the values that were set directly
    /// afterwards.
    mutating func endInsert(_ context: Int) {
        guard let draft = memories[context].draft else { return }
        memories[context].draft = nil
        let values = draft.values.map { "\($0.key) = \($0.text)" }.joined(separator: ", ")
        let with = values.isEmpty ? "" : " with \(values)"
        let condition = condition(of: draft, context).map { "unless \($0) " } ?? ""
        say(
            "\(condition)insert \(draft.object.entity) as \(draft.name)\(with)", in: context,
            isLocal: true)
    }

    /// The condition for an insertion after a fetch without results. The program probably inserts
    /// the object only if the fetch finds no object.
    private mutating func condition(
        of draft: ContextMemory.InsertDraft, _ context: Int
    ) -> String? {
        if memories[context].failedSave != nil { return nil }
        let line = names.line(of: draft.object.entity).map(\.name)
        for miss in memories[context].misses.reversed() where line.contains(miss.entity) {
            if let (key, wanted) = miss.list {
                guard let set = draft.values.last(where: { $0.key == key }),
                    wanted.contains(set.value), let step = miss.step
                else { continue }
                let bound = fresh("c")
                sessions[context].glue(
                    "count \(miss.entity) where \(key) == \(set.text) -> \(bound)", to: step)
                return bound
            }
            let fits = miss.equalities.allSatisfy { key, value in
                key.contains(".")
                    || draft.values.contains { $0.key == key && $0.value == value }
            }
            if fits { return miss.name }
        }
        return nil
    }

    // MARK: Setting

    mutating func set(
        _ object: RecordedObject, _ key: String, _ value: RecordedValue, _ old: RecordedValue?,
        _ context: Int
    ) {
        if memories[context].draft?.object != object { endInsert(context) }
        guard canSay(key, of: object, context) else { return }
        if names.relationship(key, of: object.entity) != nil {
            return setDestination(object, key, value, context)
        }
        let place = ContextMemory.Property(object: object, key: key)
        let sum = memories[context].draft == nil ? relative(place, value, old, context) : nil
        guard let text = sum ?? values.literal(value, key, of: object.entity).map({ "= \($0)" })
        else {
            return leaveOut("a value of \(object.entity).\(key) that cannot be written", context)
        }
        if case .lost(let what) = value {
            let size = values.isFull ? " (\(what))" : ""
            leaveOut(
                "a value of \(object.entity).\(key) that is too long\(size): a token replaces it",
                context)
        }
        memories[context].read.remove(place)
        if memories[context].draft != nil {
            memories[context].draft?.values.removeAll { $0.key == key }
            memories[context].draft?.values.append((key, value, String(text.dropFirst(2))))
            return
        }
        let isFirst = memories[context].realised.insert(object).inserted
        say(
            "set \(name(object, context)).\(key) \(text)", in: context, isLocal: true,
            joins: !isFirst)
    }

    /// The expression from which the program probably computed a value: the count of members, or
    /// the old value plus a difference.
    private mutating func relative(
        _ place: ContextMemory.Property, _ value: RecordedValue, _ old: RecordedValue?,
        _ context: Int
    ) -> String? {
        let (object, key) = (place.object, place.key)
        if let known = memories[context].counts[object], value == .integer(Int64(known.count)),
            let text = values.counted(known.name, key, of: object.entity)
        {
            return "= \(text)"
        }
        guard let old, memories[context].read.contains(place) else { return nil }
        if value == old { return "= \(name(object, context)).\(key)" }
        return values.difference(value, old, key, of: object.entity).map {
            $0.hasPrefix("-") ? "-= \($0.dropFirst())" : "+= \($0)"
        }
    }

    private mutating func setDestination(
        _ object: RecordedObject, _ key: String, _ value: RecordedValue, _ context: Int
    ) {
        guard case .object(let other) = value else {
            endInsert(context)
            say(
                "unrelate \(name(object, context)).\(key)", in: context, isLocal: true)
            return
        }
        let destination = name(other, context)
        if memories[context].draft?.object == object {
            memories[context].draft?.values.append((key, value, destination))
            return
        }
        let isFirst = memories[context].realised.insert(object).inserted
        say(
            "relate \(name(object, context)).\(key) to \(destination)", in: context,
            isLocal: true, joins: !isFirst)
        memories[context].counts[other] = nil
    }

    mutating func link(
        _ object: RecordedObject, _ key: String, _ other: RecordedObject, _ context: Int
    ) {
        let (owner, member) = (name(object, context), name(other, context))
        say("relate \(owner).\(key) to \(member)", in: context, isLocal: true)
        memories[context].counts[object] = nil
    }

    mutating func unlink(
        _ object: RecordedObject, _ key: String, _ other: RecordedObject, _ context: Int
    ) {
        let (owner, member) = (name(object, context), name(other, context))
        say("unrelate \(owner).\(key) from \(member)", in: context, isLocal: true)
        memories[context].counts[object] = nil
    }
}
