import LabScenario

/// Generates the statements of one session. They use the model's properties, and names that earlier
/// statements have bound.
struct StepGenerator {
    typealias Named = (name: String, entity: String)

    let model: ModelView
    let contexts: [ScenarioDraft.Context]
    let context: ScenarioDraft.Context
    let blocks: [String]
    let banned: Set<Verb>
    let setup: [Named]
    /// The prefix of the names that the session binds. It makes the names unique in the file.
    let prefix: String

    private(set) var objects: [Named]
    private(set) var values: [String] = []
    private(set) var lists: [String] = []
    private(set) var tokens: [String] = []
    private var made = 0

    init(
        model: ModelView, contexts: [ScenarioDraft.Context], context: ScenarioDraft.Context,
        blocks: [String], banned: Set<Verb>, setup: [Named], prefix: String
    ) {
        self.model = model
        self.contexts = contexts
        self.context = context
        self.blocks = blocks
        self.banned = banned
        self.setup = setup
        self.prefix = prefix
        objects = setup
    }

    /// The weight of each verb. Tests check that each verb occurs.
    static let weights: [(Verb, Int)] = [
        (.insert, 100), (.set, 160), (.relate, 90), (.unrelate, 50), (.delete, 70), (.fetch, 50),
        (.count, 15), (.read, 50), (.refresh, 80), (.save, 140), (.saveChain, 30),
        (.processPending, 40), (.rollback, 25), (.reset, 12), (.merge, 30), (.mergeRemote, 8),
        (.refreshAll, 15), (.undo, 20), (.redo, 12), (.state, 25), (.fire, 15), (.release, 10),
        (.object, 12), (.lookUp, 10), (.obtainIDs, 8), (.detectConflicts, 12), (.policy, 8),
        (.automerge, 6), (.staleness, 5), (.make, 6), (.register, 10), (.watch, 6), (.shown, 12),
        (.hookSaw, 8), (.batchInsert, 4), (.batchUpdate, 5), (.batchDelete, 4), (.enqueue, 12),
        (.wait, 6), (.outside, 12), (.migrate, 6), (.removeStore, 2), (.fail, 4), (.order, 10),
        (.committed, 8), (.changed, 8), (.members, 10), (.sameID, 5), (.contextOf, 4),
        (.conflicts, 8), (.pin, 6), (.unpin, 6), (.deleteInaccessible, 4),
        (.history, 3), (.historyToken, 2), (.mergeHistory, 3),
    ]

    mutating func statement(_ dice: inout Dice) -> String {
        // The condition must not name the object that the statement itself binds.
        let names = objects.map(\.name) + values
        while true {
            let verb = dice.pick(weighted: Self.weights)
            guard !banned.contains(verb), let made = statement(verb, &dice) else { continue }
            return prefixed(made, verb, names, &dice)
        }
    }

    private func prefixed(
        _ text: String, _ verb: Verb, _ names: [String], _ dice: inout Dice
    ) -> String {
        if verb == .fetch || verb == .count, text.contains(" where "), dice.chance(1) {
            return "unchecked " + text
        }
        if dice.chance(1), !banned.contains(.fail) { return "off-queue " + text }
        if dice.chance(1), [.set, .read, .relate, .save].contains(verb) {
            return "repeat 2 " + text
        }
        guard dice.chance(4), let name = dice.pick(names) else { return text }
        return "\(dice.chance(50) ? "if" : "unless") \(name) \(text)"
    }

    // MARK: Names

    mutating func newName() -> String {
        made += 1
        return "\(prefix)\(made)"
    }

    mutating func bind(_ name: String, _ entity: String) { objects.append((name, entity)) }

    mutating func bind(value name: String) { values.append(name) }

    mutating func bind(token name: String) { tokens.append(name) }

    mutating func bind(list name: String) { lists.append(name) }

    mutating func forget(_ name: String) { objects.removeAll { $0.name == name } }

    func object(_ dice: inout Dice) -> (name: String, entity: ModelView.Entity)? {
        guard let named = dice.pick(objects), let entity = model.entity(named.entity) else {
            return nil
        }
        return (named.name, entity)
    }

    func object(fitting entity: String, _ dice: inout Dice) -> String? {
        dice.pick(objects.filter { model.isKind($0.entity, of: entity) })?.name
    }

    func concreteEntity(_ dice: inout Dice) -> ModelView.Entity? {
        dice.pick(model.entities.filter { !$0.isAbstract })
    }

    // MARK: Statements

    mutating func statement(_ verb: Verb, _ dice: inout Dice) -> String? {
        switch verb {
        case .insert: return insert(&dice)
        case .make: return make(&dice)
        case .set: return set(&dice)
        case .relate, .unrelate: return relate(verb, &dice)
        case .order: return order(&dice)
        case .committed, .changed, .members, .sameID, .contextOf, .conflicts:
            return lookAt(verb, &dice)
        case .pin: return pin(&dice)
        case .history, .historyToken, .mergeHistory: return history(verb, &dice)
        case .deleteInaccessible: return "delete-inaccessible \(dice.chance(50) ? "on" : "off")"
        case .delete, .fire, .detectConflicts, .register:
            return object(&dice).map { "\(verb.rawValue) \($0.name)" }
        case .refresh:
            return object(&dice).map {
                "refresh \($0.name) \(dice.chance(65) ? "discard" : "keep")"
            }
        case .read: return read(&dice)
        case .release: return dice.pick(objects).map { "release \($0.name)" }
        case .obtainIDs:
            return dice.chance(50) ? "obtain-ids" : object(&dice).map { "obtain-ids \($0.name)" }
        case .state: return state(&dice)
        case .fetch, .count, .watch, .shown: return look(verb, &dice)
        case .save, .saveChain: return save(verb, &dice)
        case .processPending, .rollback, .reset, .refreshAll, .removeStore, .unpin:
            return verb.rawValue
        case .undo, .redo: return context.undo ? verb.rawValue : nil
        case .merge, .mergeRemote, .object, .lookUp: return across(verb, &dice)
        case .hookSaw: return hookSaw(&dice)
        case .batchInsert, .batchUpdate, .batchDelete: return batch(verb, &dice)
        case .policy:
            let generator = StackGenerator(purpose: .anything, entities: model.entities)
            return "policy \(generator.policy(&dice))"
        case .automerge: return "automerge \(dice.chance(60) ? "on" : "off")"
        case .staleness: return "staleness \(dice.chance(50) ? "0" : "-1")"
        case .enqueue, .wait: return dice.pick(blocks).map { "\(verb.rawValue) \($0)" }
        case .outside: return outside(&dice)
        case .migrate: return dice.pick(model.entities).map { "migrate unique \($0.name).n" }
        case .fail:
            let points = FailurePoint.allCases.filter {
                $0 != .merge || banned.contains(.automerge)
            }
            return "fail \(dice.pick(points)?.rawValue ?? "read")"
        }
    }

    mutating func assignments(_ entity: ModelView.Entity, _ dice: inout Dice) -> String {
        var parts: [String] = []
        for attribute in entity.attributes
        where attribute.isRequired && dice.chance(95) || dice.chance(50) {
            parts.append("\(attribute.name) = \(value(of: attribute, &dice))")
        }
        for relationship in entity.relationships where relationship.arity == .one {
            guard relationship.isRequired || dice.chance(15),
                let other = object(fitting: relationship.destination, &dice)
            else { continue }
            parts.append("\(relationship.name) = \(other)")
        }
        return parts.isEmpty ? "" : " with " + parts.joined(separator: ", ")
    }

    func value(of attribute: ModelView.Attribute, _ dice: inout Dice) -> String {
        if dice.chance(6) { return "nil" }
        return Values.literal(of: attribute.type, &dice)
    }

    private mutating func insert(_ dice: inout Dice) -> String? {
        guard let entity = concreteEntity(&dice) else { return nil }
        let rest = assignments(entity, &dice)
        let name = newName()
        bind(name, entity.name)
        return "insert \(entity.name) as \(name)\(rest)"
    }

    private mutating func set(_ dice: inout Dice) -> String? {
        guard let (name, entity) = object(&dice) else { return nil }
        let single = entity.relationships.filter { $0.arity == .one }
        if dice.chance(30), let relationship = dice.pick(single) {
            let other = object(fitting: relationship.destination, &dice)
            return "set \(name).\(relationship.name) = \(dice.chance(20) ? "nil" : other ?? "nil")"
        }
        guard let attribute = dice.pick(entity.attributes) else { return nil }
        if attribute.name == "n", dice.chance(25) {
            return "set \(name).n = \(name).n \(dice.chance(70) ? "+" : "-") \(dice.number(1...3))"
        }
        if attribute.name == "n", dice.chance(5), let value = dice.pick(values) {
            return "set \(name).n = \(value)"
        }
        return "set \(name).\(attribute.name) = \(value(of: attribute, &dice))"
    }

    private mutating func relate(_ verb: Verb, _ dice: inout Dice) -> String? {
        guard let (name, entity) = object(&dice), let key = dice.pick(entity.relationships),
            let other = object(fitting: key.destination, &dice)
        else { return nil }
        let path = "\(name).\(key.name)"
        guard verb == .relate else {
            return key.arity == .one && dice.chance(70)
                ? "unrelate \(path)" : "unrelate \(path) from \(other)"
        }
        if key.arity != .one, dice.chance(20),
            let another = object(fitting: key.destination, &dice), another != other
        {
            return "relate \(path) to \(other), \(another)"
        }
        if dice.chance(1), let foreign = dice.pick(contexts)?.name,
            setup.contains(where: { $0.name == other })
        {
            return "relate \(path) to \(other)@\(foreign)"
        }
        return "relate \(path) to \(other)"
    }

    private mutating func read(_ dice: inout Dice) -> String? {
        guard let (name, entity) = object(&dice) else { return nil }
        let keys = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        guard var key = dice.pick(keys) else { return nil }
        if let relationship = entity.relationships.first(where: {
            $0.name == key && $0.arity == .one
        }),
            dice.chance(60)
        {
            let next = model.entity(relationship.destination)?.relationships.map(\.name) ?? []
            key += "." + (dice.pick(next + ["n"]) ?? "n")
        }
        let value = newName()
        bind(value: value)
        return "read \(name).\(key) -> \(value)"
    }

    private func save(_ verb: Verb, _ dice: inout Dice) -> String? {
        if verb == .saveChain, context.parent == nil { return nil }
        let code = dice.pick([133_020, 1570, 1600]) ?? 1570
        return verb.rawValue + (dice.chance(2) ? " expecting \(code)" : "")
    }
}
