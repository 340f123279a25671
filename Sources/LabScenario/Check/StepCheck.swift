/// Checks every statement: entities, properties, types of values, and names that are bound
/// before they are used. ``ScenarioCheck`` calls it once for a scenario.
struct StepCheck {
    /// What a name stands for.
    enum Binding {
        /// An object or a list of them; the entity is nil where only the run can tell.
        case object(entity: String?)
        case value
    }

    let scenario: Scenario
    let shape: ModelShape
    let problems: ProblemList
    /// The objects of the setup, known in every context.
    let setupNames: [String: Binding]
    /// The names that the sessions and blocks of a context bind.
    private let contextNames: [String: [String: Binding]]

    init(scenario: Scenario, shape: ModelShape, problems: ProblemList) {
        self.scenario = scenario
        self.shape = shape
        self.problems = problems
        setupNames = Self.bindings(scenario.setup.flatMap(\.statements))
        var names: [String: [String: Binding]] = [:]
        for session in scenario.sessions {
            let bound = Self.bindings(session.steps.flatMap(\.statements))
            names[session.context.value, default: [:]].merge(bound) { first, _ in first }
        }
        for block in scenario.blocks {
            let bound = Self.bindings(block.step.statements)
            names[block.context.value, default: [:]].merge(bound) { first, _ in first }
        }
        contextNames = names
    }

    private var stepNames: [String] {
        scenario.sessions.flatMap { $0.steps.map(\.name.value) } + scenario.blocks.map(\.name.value)
    }

    /// The names that hold values, for `value NAME`.
    var valueNames: [String] {
        contextNames.values.flatMap { $0.keys }.sorted()
    }

    static func predicateVariables(of scenario: Scenario) -> Set<String> {
        let steps = scenario.sessions.flatMap(\.steps) + scenario.blocks.map(\.step)
        let queries = steps.flatMap(\.statements).compactMap(\.action.query)
        let observed = scenario.observations.compactMap { observation -> Query? in
            switch observation.source {
            case .count(let query), .read(let query, _): query
            default: nil
            }
        }
        return Set((queries + observed).flatMap { $0.predicate?.variables.map(\.value) ?? [] })
    }

    func run() {
        var names: [String: Binding] = [:]
        for statement in scenario.setup.flatMap(\.statements) {
            checkSetup(statement)
            check(statement, names: &names, context: nil)
        }
        for session in scenario.sessions {
            // Names of the same context that other sessions bind may come at any time.
            var names = setupNames
            let own = Set(Self.bindings(session.steps.flatMap(\.statements)).keys)
            for (name, binding) in contextNames[session.context.value] ?? [:]
            where !own.contains(name) || boundElsewhere(name, than: session) {
                names[name] = binding
            }
            for statement in session.steps.flatMap(\.statements) {
                check(statement, names: &names, context: session.context.value)
            }
        }
        for block in scenario.blocks {
            var names = setupNames.merging(contextNames[block.context.value] ?? [:]) { $1 }
            for statement in block.step.statements {
                check(statement, names: &names, context: block.context.value)
            }
        }
    }

    private func boundElsewhere(_ name: String, than session: SessionSpec) -> Bool {
        scenario.sessions.contains { other in
            other.name != session.name && other.context.value == session.context.value
                && Self.bindings(other.steps.flatMap(\.statements))[name] != nil
        }
    }

    private static func bindings(_ statements: [Statement]) -> [String: Binding] {
        var names: [String: Binding] = [:]
        for statement in statements {
            guard let (name, binding) = statement.action.binding else { continue }
            names[name.value] = binding
        }
        return names
    }
}

extension Action {
    /// The name that the statement binds, and what for.
    var binding: (name: Located<String>, binding: StepCheck.Binding)? {
        switch self {
        case .insert(let entity, let name?, _): (name, .object(entity: entity.value))
        case .fetch(let query, let name?): (name, .object(entity: query.entity.value))
        case .object(_, let name): (name, .object(entity: nil))
        case .count(_, let name?), .read(_, let name?): (name, .value)
        default: nil
        }
    }
}

// MARK: Statements

extension StepCheck {
    private func checkSetup(_ statement: Statement) {
        switch statement.action {
        case .insert, .set, .relate:
            checkSetupValues(statement)
            if statement.condition == nil, !statement.isOffQueue, !statement.isUnchecked { return }
            problems.add(
                "the setup has a condition or a prefix", at: statement.position,
                instead: "write the statement alone; the setup always runs")
        default:
            problems.add(
                "this verb does not belong in the setup", at: statement.position,
                instead: "use insert, set and relate; the rows are saved by themselves")
        }
    }

    private func checkSetupValues(_ statement: Statement) {
        for value in statement.action.operands {
            switch value {
            case .literal, .reference, .parameter: continue
            case .path, .sum, .difference:
                problems.add(
                    "the setup computes a value", at: statement.position,
                    instead: "write the value itself")
            }
        }
    }

    private func check(
        _ statement: Statement, names: inout [String: Binding], context: String?
    ) {
        if let condition = statement.condition, !stepNames.contains(condition.name.value) {
            require(condition.name, names)
        }
        switch statement.action {
        case .insert(let entity, _, let values): checkInsert(entity, values, names)
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
        case .delete(let object), .refresh(let object, _), .detectConflicts(let object):
            checkObject(object, names)
        case .fetch(let query, _), .count(let query, _): check(query, names: names)
        case .read(let path, _): _ = checkPath(path, names)
        case .object(let object, _): checkObject(object, names)
        case .merge(_, let source): requireContext(source, merging: context)
        case .enqueue(let block):
            let known = scenario.blocks.map(\.name.value)
            if !known.contains(block.value) { unknown(block, "block", among: known) }
        case .reset, .rollback, .processPending, .save: break
        }
        if let (name, binding) = statement.action.binding { names[name.value] = binding }
    }

    private func unknown(_ name: Located<String>, _ kind: String, among known: [String]) {
        problems.add(
            "unknown \(kind) '\(name.value)'", at: name.position,
            instead: Suggestion.text(for: name.value, among: known, kind: kind))
    }

    private func requireContext(_ name: Located<String>, merging context: String? = nil) {
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
    private func require(_ name: Located<String>, _ names: [String: Binding]) -> Binding? {
        if let binding = names[name.value] { return binding }
        problems.add(
            "nothing is named '\(name.value)' here", at: name.position,
            instead: names.isEmpty
                ? "bind it first, as in 'insert ENTITY as \(name.value)'"
                : Suggestion.text(for: name.value, among: names.keys.sorted(), kind: "name"))
        return nil
    }

    private func checkInsert(
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

    private func requireEntity(_ name: Located<String>) -> EntityShape? {
        if let entity = shape.entity(named: name.value) { return entity }
        unknown(name, "entity", among: shape.entities.map(\.name.value))
        return nil
    }

    private func requireProperty(_ key: Located<String>, of entity: String) -> PropertyShape? {
        if let property = shape.property(named: key.value, of: entity) { return property }
        problems.add(
            "'\(entity)' has no property '\(key.value)'", at: key.position,
            instead: Suggestion.text(
                for: key.value, among: shape.propertyNames(of: entity), kind: "property"))
        return nil
    }

    /// The entity of an object, if it is known.
    @discardableResult
    private func checkObject(_ object: ObjectReference, _ names: [String: Binding]) -> String? {
        var visible = names
        if let context = object.context {
            requireContext(context)
            visible = setupNames.merging(contextNames[context.value] ?? [:]) { $1 }
        }
        switch require(object.name, visible) {
        case .object(let entity): return entity
        case .value:
            problems.add(
                "'\(object.name.value)' is a value, no object", at: object.name.position,
                instead: "name an object that an insert or a fetch has given")
            return nil
        case nil: return nil
        }
    }

    private func checkPath(_ path: ObjectPath, _ names: [String: Binding]) -> PropertyShape? {
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
                    instead: "remove what follows it")
                return nil
            }
            if relationship.arity != .one {
                problems.add(
                    "'\(key.value)' has many members, so the path ends there", at: key.position,
                    instead: "remove what follows it; it is read as the number of its members")
                return nil
            }
            entity = relationship.destination.value
        }
        return nil
    }

    private func checkRelationship(
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

    private func check(
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

// MARK: Values and queries

extension StepCheck {
    private func check(_ operand: StepValue, _ names: [String: Binding]) {
        switch operand {
        case .literal, .parameter: break
        case .reference(let object):
            if object.context == nil {
                require(object.name, names)
            } else {
                checkObject(object, names)
            }
        case .path(let path): _ = checkPath(path, names)
        case .sum(let left, let right), .difference(let left, let right):
            check(left, names)
            check(right, names)
        }
    }

    private func check(
        _ operand: StepValue, fits property: PropertyShape, _ names: [String: Binding]
    ) {
        check(operand, names)
        switch (property.kind, operand) {
        case (.attribute(let type, _), .literal(let literal)):
            check(literal, fits: type, property)
        case (.attribute(let type, _), .parameter(let name)):
            let axis = scenario.matrix.first { $0.name.value == name.value }
            for value in axis?.values ?? [] { check(value, fits: type, property) }
        case (.attribute(let type, _), .reference(let object)):
            if case .object = names[object.name.value] {
                problems.add(
                    "'\(object.name.value)' is an object,"
                        + " but '\(property.name.value)' is an attribute",
                    at: object.name.position, instead: "write \(type.example)")
            }
        case (.relationship(let relationship), .reference(let object)):
            if relationship.arity != .one { return tooMany(property, object.name.position) }
            if case .object(let entity?) = names[object.name.value] {
                check(
                    entity, at: object.name.position, fits: relationship,
                    key: property.name.value)
            }
        case (.relationship(let relationship), .literal(let literal)):
            if relationship.arity != .one { return tooMany(property, literal.position) }
            if literal.value != .null {
                problems.add(
                    "'\(property.name.value)' is a relationship", at: literal.position,
                    instead: "name an object, or write nil")
            }
        default: break
        }
    }

    private func tooMany(_ property: PropertyShape, _ position: SourcePosition) {
        problems.add(
            "'\(property.name.value)' has many members", at: position,
            instead: "use 'relate OBJECT.\(property.name.value) to OBJECT'")
    }

    private func check(
        _ literal: Located<Literal>, fits type: AttributeType, _ property: PropertyShape
    ) {
        if type.accepts(literal.value) { return }
        problems.add(
            "\(literal.value) does not fit '\(property.name.value)',"
                + " whose type is \(type.rawValue)",
            at: literal.position, instead: "write \(type.example)")
    }

    func check(_ query: Query, names: [String: Binding]) {
        guard let entity = requireEntity(query.entity) else { return }
        for sort in query.sort {
            let first = sort.keyPath.value.split(separator: ".").first.map(String.init) ?? ""
            _ = requireProperty(Located(first, at: sort.keyPath.position), of: entity.name.value)
        }
        let parameters = scenario.matrix.map(\.name.value)
        for variable in query.predicate?.variables ?? [] where !parameters.contains(variable.value)
        {
            require(variable, names)
        }
    }
}
