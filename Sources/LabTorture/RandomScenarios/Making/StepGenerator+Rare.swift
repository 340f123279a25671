import LabScenario

// Generates reads, rare statements, and statements that use other contexts.
extension StepGenerator {
    mutating func look(_ verb: Verb, _ dice: inout Dice) -> String? {
        if verb == .shown {
            guard let list = dice.pick(lists) else { return nil }
            let value = newName()
            bind(value: value)
            return "shown \(list)\(dice.chance(40) ? " by-section" : "") -> \(value)"
        }
        guard let entity = dice.pick(model.entities) else { return nil }
        var text = "\(verb.rawValue) \(entity.name)"
        let stored = entity.attributes.filter { !$0.isTransient && $0.type != .binary }
        if verb == .watch, dice.chance(40), let key = dice.pick(stored) {
            text += " by \(key.name)"
        }
        if dice.chance(45) {
            let generator = PredicateGenerator(model: model, entity: entity, objects: objects)
            text += " where \(generator.make(&dice))"
        }
        if verb == .watch || dice.chance(40), let key = dice.pick(stored) {
            text += " sort \(key.name)\(dice.chance(30) ? " descending" : "")"
        } else if verb == .watch {
            return nil
        }
        if verb != .watch { text += options(entity, verb, &dice) }
        let name = newName()
        switch verb {
        case .fetch: bind(name, entity.name)
        case .watch: bind(list: name)
        default: bind(value: name)
        }
        return "\(text) -> \(name)"
    }

    private func options(
        _ entity: ModelView.Entity, _ verb: Verb, _ dice: inout Dice
    ) -> String {
        var text = ""
        if dice.chance(10) { text += " limit \(dice.number(1...3))" }
        if dice.chance(5) { text += " offset 1" }
        if dice.chance(8) { text += " batch \(dice.number(1...2))" }
        if dice.chance(12), verb == .fetch, let key = dice.pick(entity.relationships) {
            text += " prefetch \(key.name)"
        }
        for flag in Query.Flag.allCases where dice.chance(flag == .refreshing ? 15 : 7) {
            text += " \(flag.rawValue)"
        }
        return text
    }

    mutating func order(_ dice: inout Dice) -> String? {
        guard let (name, entity) = object(&dice),
            let key = dice.pick(entity.relationships.filter { $0.arity == .ordered }),
            let first = object(fitting: key.destination, &dice)
        else { return nil }
        var members = [first]
        if let second = object(fitting: key.destination, &dice), second != first {
            members.append(second)
        }
        return "order \(name).\(key.name) as \(members.joined(separator: ", "))"
    }

    mutating func lookAt(_ verb: Verb, _ dice: inout Dice) -> String? {
        guard let (name, entity) = object(&dice) else { return nil }
        let keys = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        let toMany = entity.relationships.filter { $0.arity != .one }.map(\.name)
        let subject: String?
        switch verb {
        case .committed: subject = dice.pick(keys).map { "\(name).\($0)" }
        case .members: subject = dice.pick(toMany).map { "\(name).\($0)" }
        case .sameID: subject = object(&dice).map { "\(name) \($0.name)" }
        case .conflicts: subject = ""
        default: subject = name
        }
        guard let subject else { return nil }
        let value = newName()
        bind(value: value)
        return "\(verb.rawValue)\(subject.isEmpty ? "" : " ")\(subject) -> \(value)"
    }

    mutating func history(_ verb: Verb, _ dice: inout Dice) -> String? {
        let token = dice.chance(20) ? dice.pick(tokens).map { " since \($0)" } : nil
        if verb == .mergeHistory { return verb.rawValue + (token ?? "") }
        let value = newName()
        if verb == .historyToken { bind(token: value) } else { bind(value: value) }
        return "\(verb.rawValue)\(verb == .history ? token ?? "" : "") -> \(value)"
    }

    func pin(_ dice: inout Dice) -> String? {
        let others = contexts.map(\.name).filter { $0 != context.name }
        guard dice.chance(20), let other = dice.pick(others) else { return "pin" }
        return "pin to \(other)"
    }

    mutating func hookSaw(_ dice: inout Dice) -> String? {
        guard let entity = dice.pick(model.entities.filter(\.hasHook)) else { return nil }
        let value = newName()
        bind(value: value)
        return "hook-saw \(entity.name) -> \(value)"
    }

    mutating func across(_ verb: Verb, _ dice: inout Dice) -> String? {
        let others = contexts.map(\.name).filter { $0 != context.name }
        guard let other = dice.pick(others) else { return nil }
        switch verb {
        case .merge:
            let choice = dice.pick(MergeChoice.allCases)?.rawValue ?? "all"
            return "merge \(choice) from \(other)"
        case .mergeRemote: return "merge-remote \(other) into \(context.name)"
        default:
            guard let named = dice.pick(setup) else { return nil }
            let name = newName()
            bind(name, named.entity)
            return "\(verb.rawValue) \(named.name)@\(other) as \(name)"
        }
    }

    mutating func state(_ dice: inout Dice) -> String? {
        let value = newName()
        bind(value: value)
        if dice.chance(50), let (name, _) = object(&dice) {
            let flag = dice.pick(ObjectFlag.allCases)?.rawValue ?? "is-fault"
            return "state \(name) \(flag) -> \(value)"
        }
        let flag = dice.pick(ContextFlag.allCases)?.rawValue ?? "inserted"
        return "state \(flag) -> \(value)"
    }

    mutating func make(_ dice: inout Dice) -> String? {
        guard let entity = concreteEntity(&dice) else { return nil }
        let name = newName()
        let plain = entity.attributes.filter { _ in dice.chance(60) }.map {
            "\($0.name) = \(value(of: $0, &dice))"
        }
        bind(name, entity.name)
        let rest = plain.isEmpty ? "" : " with " + plain.joined(separator: ", ")
        return "make \(entity.name) as \(name)\(rest)"
    }

    func batch(_ verb: Verb, _ dice: inout Dice) -> String? {
        guard let entity = concreteEntity(&dice) else { return nil }
        let numbers = entity.attributes.filter { [.integer64, .integer32].contains($0.type) }
        var text = "\(verb.rawValue) \(entity.name)"
        if verb != .batchDelete {
            guard let attribute = dice.pick(numbers) else { return nil }
            text += " with \(attribute.name) = \(dice.below(6))"
        }
        if verb != .batchInsert, dice.chance(60) { text += " where n > \(dice.below(4))" }
        return text
    }

    mutating func outside(_ dice: inout Dice) -> String? {
        guard let entity = dice.pick(model.entities) else { return nil }
        let table = "Z\(entity.root.uppercased())"
        let change =
            "SET ZN = \(dice.below(6)), Z_OPT = Z_OPT + 1 WHERE Z_PK = \(dice.number(1...2))"
        switch dice.below(5) {
        case 0: return "outside \"UPDATE \(table) \(change)\""
        case 1: return "outside \"DELETE FROM \(table) WHERE Z_PK = \(dice.number(1...2))\""
        case 2: return "outside \"BEGIN IMMEDIATE\""
        case 3: return "outside \"COMMIT\""
        default:
            let value = newName()
            bind(value: value)
            return "outside \"SELECT COUNT(*) FROM \(table)\" -> \(value)"
        }
    }
}
