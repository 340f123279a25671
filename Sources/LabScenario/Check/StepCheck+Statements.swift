extension StepCheck {
    func checkSetup(_ statement: Statement) {
        switch statement.action {
        case .object(.insert), .object(.set), .object(.relate):
            checkSetupValues(statement)
            if statement.condition == nil, !statement.isOffQueue, !statement.isUnchecked { return }
            problems.add(
                "the setup has a condition or a prefix", at: statement.position,
                instead: "write only the statement; the setup always runs")
        default:
            problems.add(
                "this verb does not belong in the setup", at: statement.position,
                instead: "use insert, set and relate; the setup saves the rows")
        }
    }

    func checkSetupValues(_ statement: Statement) {
        for value in statement.action.operands {
            switch value {
            case .literal, .reference, .parameter: continue
            case .path, .sum, .difference, .product:
                problems.add(
                    "the setup computes a value", at: statement.position,
                    instead: "write a literal value")
            }
        }
    }

    func check(
        _ statement: Statement, names: inout [String: Binding], context: String?
    ) {
        if let condition = statement.condition, !stepNames.contains(condition.name.value) {
            require(condition.name, names)
        }
        switch statement.action {
        case .object(let action): check(action, names)
        case .context(let action): check(action, names, context)
        case .list(let action): check(action, names)
        case .look(let action): check(action, names)
        case .batch(let batch):
            check(batch.query, names: names)
            if batch.kind != .delete { checkInsert(batch.query.entity, batch.values, names) }
        case .setting(let action): check(action)
        case .stack(let action): check(action, at: statement.position)
        }
        if statement.action.usesHistory { requireHistory(statement.position) }
        if let (name, binding) = statement.action.binding { names[name.value] = binding }
    }

    private func check(_ action: ObjectAction, _ names: [String: Binding]) {
        switch action {
        case .insert(let entity, _, let values), .make(let entity, _, let values):
            checkInsert(entity, values, names)
        case .set(let assignments):
            for assignment in assignments {
                if let property = checkPath(assignment.path, names) {
                    check(assignment.value, fits: property, names)
                } else {
                    check(assignment.value, names)
                }
            }
        case .relate(let path, let objects), .unrelate(let path, let objects):
            checkRelationship(path, objects, names)
        case .order(let path, let objects):
            checkRelationship(path, objects, names)
            requireToMany(path, names, ordered: true)
        case .delete(let object), .refresh(let object, _), .detectConflicts(let object),
            .register(let object), .fire(let object), .lookUp(let object, _),
            .adopt(let object, _), .state(let object, _, _):
            checkObject(object, names)
        case .read(let path, _): _ = checkPath(path, names)
        case .release(let name): require(name, names)
        case .obtainIDs(let objects): for object in objects { checkObject(object, names) }
        }
    }

    private func check(
        _ action: ContextAction, _ names: [String: Binding], _ context: String?
    ) {
        switch action {
        case .merge(_, let source): requireContext(source, merging: context)
        case .mergeRemote(let source, let targets):
            requireContext(source)
            for target in targets { requireContext(target) }
        case .hookSaw(let entity, _):
            if let known = requireEntity(entity), known.onDelete == nil {
                problems.add(
                    "'\(entity.value)' has no hook", at: entity.position,
                    instead: "write 'on-delete: KEY' under the entity")
            }
        case .mergeHistory(let token): checkToken(token, names)
        case .pin(let other): if let other { requireContext(other) }
        case .save, .refreshAll, .reset, .rollback, .undo, .redo, .processPending, .state, .unpin:
            break
        }
    }

    private func check(_ action: LookAction, _ names: [String: Binding]) {
        switch action {
        case .committed(let path, _):
            _ = checkPath(path, names)
            guard path.keys.count > 1 else { return }
            problems.add(
                "'committed' reads one object", at: path.keys[1].position,
                instead: "name the object itself, and one key")
        case .members(let path, _): requireToMany(path, names, ordered: false)
        case .changed(let object, _), .contextOf(let object, _): checkObject(object, names)
        case .sameID(let one, let other, _):
            checkObject(one, names)
            checkObject(other, names)
        case .history(let token, _): checkToken(token, names)
        case .conflicts, .historyToken: break
        }
    }

    private func requireToMany(
        _ path: ObjectPath, _ names: [String: Binding], ordered: Bool
    ) {
        guard let key = path.keys.last, let property = checkPath(path, names) else { return }
        let arity = property.relationship?.arity
        if ordered ? arity == .ordered : arity == .many || arity == .ordered { return }
        problems.add(
            "'\(key.value)' is not \(ordered ? "an ordered" : "a to-many") relationship",
            at: key.position,
            instead: ordered
                ? "use 'relate' for a to-many relationship without an order"
                : "use 'read' for an attribute or a to-one relationship")
    }

    private func check(_ action: ListAction, _ names: [String: Binding]) {
        switch action {
        case .fetch(let query, _), .count(let query, _): check(query, names: names)
        case .watch(let query, let sections, _):
            check(query, names: names)
            if let sections { _ = requireProperty(sections, of: query.entity.value) }
        case .shown(let list, _, _): require(list, names)
        }
    }

    private func check(_ action: SettingAction) {
        switch action {
        // ``ScenarioCheck`` checks the policies, together with those of contexts.
        case .policy, .automerge, .staleness, .deletesInaccessible: break
        }
    }

    private func check(_ action: StackAction, at position: SourcePosition) {
        switch action {
        case .enqueue(let block), .wait(let block): requireBlock(block)
        case .outside: requireFile("another process", position)
        case .migrate(let keys):
            requireFile("a migration", position)
            for unique in keys where requireEntity(unique.entity) != nil {
                _ = requireProperty(unique.key, of: unique.entity.value)
            }
        case .removeStore, .fail: break
        }
    }

    private func checkToken(_ token: Located<String>?, _ names: [String: Binding]) {
        guard let token, case .object = require(token, names) else { return }
        problems.add(
            "'\(token.value)' is an object, not a token", at: token.position,
            instead: "use a name that 'history-token -> NAME' has bound")
    }

    private func requireHistory(_ position: SourcePosition) {
        guard case .value(let kind) = scenario.store.kind, !kind.isSQLite else { return }
        problems.add(
            "history needs SQLite, and a store of the kind '\(kind.rawValue)' keeps no history",
            at: position, instead: "write 'store: sqlite', or leave 'store' out")
    }

    private func requireFile(_ who: String, _ position: SourcePosition) {
        guard case .value(let kind) = scenario.store.kind, kind != .file else { return }
        problems.add(
            "\(who) needs a store in a file, and '\(kind.rawValue)' has no file", at: position,
            instead: "write 'store: sqlite'")
    }

    func requireBlock(_ block: Located<String>) {
        let known = scenario.blocks.map(\.name.value)
        if !known.contains(block.value) { unknown(block, "block", among: known) }
    }

    func unknown(_ name: Located<String>, _ kind: String, among known: [String]) {
        problems.add(
            "unknown \(kind) '\(name.value)'", at: name.position,
            instead: Suggestion.text(for: name.value, among: known, kind: kind))
    }

    func requireContext(_ name: Located<String>, merging context: String? = nil) {
        let known = scenario.contexts.map(\.name.value)
        if !known.contains(name.value) {
            unknown(name, "context", among: known)
        } else if name.value == context {
            problems.add(
                "'\(name.value)' merges from itself", at: name.position,
                instead: "name another context")
        }
    }

    @discardableResult
    func require(_ name: Located<String>, _ names: [String: Binding]) -> Binding? {
        if let binding = names[name.value] { return binding }
        problems.add(
            "nothing is named '\(name.value)' here", at: name.position,
            instead: names.isEmpty
                ? "bind it first, as in 'insert ENTITY as \(name.value)'"
                : Suggestion.text(for: name.value, among: names.keys.sorted(), kind: "name"))
        return nil
    }

    func checkInsert(
        _ entity: Located<String>, _ values: [Assignment], _ names: [String: Binding]
    ) {
        guard let known = requireEntity(entity) else { return }
        if known.isAbstract {
            problems.add(
                "'\(entity.value)' is abstract", at: entity.position,
                instead: "insert one of its subentities")
        }
        for assignment in values {
            if let property = requireProperty(assignment.key, of: entity.value) {
                check(assignment.value, fits: property, names)
            }
        }
    }

    func requireEntity(_ name: Located<String>) -> EntityShape? {
        if let entity = shape.entity(named: name.value) { return entity }
        unknown(name, "entity", among: shape.entities.map(\.name.value))
        return nil
    }

    func requireProperty(_ key: Located<String>, of entity: String) -> PropertyShape? {
        if let property = shape.property(named: key.value, of: entity) { return property }
        problems.add(
            "'\(entity)' has no property '\(key.value)'", at: key.position,
            instead: Suggestion.text(
                for: key.value, among: shape.propertyNames(of: entity), kind: "property"))
        return nil
    }

    /// The entity of an object, if known.
    @discardableResult
    func checkObject(_ object: ObjectReference, _ names: [String: Binding]) -> String? {
        var visible = names
        if let context = object.context {
            requireContext(context)
            visible = setupNames.merging(contextNames[context.value] ?? [:]) { $1 }
        }
        switch require(object.name, visible) {
        case .object(let entity): return entity
        case .value:
            problems.add(
                "'\(object.name.value)' is a value, not an object", at: object.name.position,
                instead: "name an object that an insert or a fetch has bound")
            return nil
        case nil: return nil
        }
    }

    func checkPath(_ path: ObjectPath, _ names: [String: Binding]) -> PropertyShape? {
        guard let entity = checkObject(path.object, names) else { return nil }
        return checkPath(path.keys, of: entity)
    }

    /// The last property of a key path.
    @discardableResult
    func checkPath(_ keys: [Located<String>], of entity: String) -> PropertyShape? {
        var entity = entity
        for (index, key) in keys.enumerated() {
            guard let property = requireProperty(key, of: entity) else { return nil }
            if index == keys.count - 1 { return property }
            guard let relationship = property.relationship else {
                problems.add(
                    "'\(key.value)' is an attribute, so the path ends there", at: key.position,
                    instead: "remove the rest of the path")
                return nil
            }
            if relationship.arity != .one {
                problems.add(
                    "'\(key.value)' has many members, so the path ends there", at: key.position,
                    instead: "remove the rest of the path; the value is the number of members")
                return nil
            }
            entity = relationship.destination.value
        }
        return nil
    }

    func checkRelationship(
        _ path: ObjectPath, _ objects: [ObjectReference], _ names: [String: Binding]
    ) {
        let property = checkPath(path, names)
        let entities = objects.map { ($0, checkObject($0, names)) }
        guard let property, let key = path.keys.last else { return }
        guard let relationship = property.relationship else {
            return problems.add(
                "'\(key.value)' is an attribute", at: key.position,
                instead: "name a relationship, or use 'set'")
        }
        if relationship.arity == .one, objects.count > 1 {
            problems.add(
                "'\(key.value)' holds one object", at: objects[1].name.position,
                instead: "name a single object")
        }
        for case (let object, let entity?) in entities {
            check(entity, at: object.name.position, fits: relationship, key: key.value)
        }
    }

    func check(
        _ entity: String, at position: SourcePosition, fits relationship: RelationshipShape,
        key: String
    ) {
        let wanted = relationship.destination.value
        if !shape.isEntity(entity, kindOf: wanted) {
            problems.add(
                "this is a '\(entity)', but '\(key)' holds '\(wanted)'", at: position,
                instead: "name a '\(wanted)'")
        }
    }
}
