import LabScenario

/// Generates random models with every type of attribute and every kind of relationship.
struct ModelGenerator {
    private var dice: Dice
    private var entities: [ScenarioDraft.Entity] = []
    private var relationships = 0

    static func make(_ dice: Dice) -> [ScenarioDraft.Entity] {
        var generator = ModelGenerator(dice: dice)
        generator.makeEntities()
        generator.makeRelationships()
        generator.makeRest()
        return generator.entities
    }

    private init(dice: Dice) { self.dice = dice }

    private mutating func makeEntities() {
        for name in ["Item", "Part", "Tag"].prefix(dice.number(1...3)) {
            var entity = ScenarioDraft.Entity(name: name)
            let line = name == "Item" ? "integer64" : attributeLine(.integer32)
            entity.attributes.append(.init(name: "n", line: line))
            entity.attributes += attributes("\(name.lowercased().prefix(1))", dice.below(3))
            entities.append(entity)
        }
        guard dice.chance(35) else { return }
        var sub = ScenarioDraft.Entity(name: "Special", parent: "Item")
        sub.attributes = attributes("x", dice.number(0...2))
        entities.append(sub)
        if dice.chance(30) { entities[0].isAbstract = true }
        if dice.chance(25) { entities.append(.init(name: "Rare", parent: "Special")) }
    }

    private mutating func attributes(
        _ prefix: String, _ count: Int
    ) -> [ScenarioDraft.Property] {
        (0..<count).map { number in
            let type = dice.pick(AttributeType.allCases) ?? .string
            return .init(name: "\(prefix)\(number + 1)", line: attributeLine(type))
        }
    }

    private mutating func attributeLine(_ type: AttributeType) -> String {
        var line = type.rawValue
        if dice.chance(12) { line += " required" }
        if dice.chance(6) { line += " transient" }
        if dice.chance(20) { line += " default \(Values.literal(of: type, &dice))" }
        return line
    }

    private static let arities: [(String, String)] = [
        ("one", "one"), ("one", "many"), ("one", "many"), ("one", "ordered"), ("many", "many"),
        ("many", "ordered"), ("ordered", "ordered"),
    ]

    private mutating func makeRelationships() {
        for _ in 0..<dice.number(1...3) {
            guard let owner = dice.pick(Array(entities.indices)),
                let other = dice.pick(Array(entities.indices))
            else { return }
            relationships += 1
            let (name, inverse) = ("r\(relationships)", "v\(relationships)")
            let (own, back) = dice.pick(Self.arities) ?? ("one", "many")
            if dice.chance(10) {
                let line = "\(back) \(entities[other].name) inverse none"
                entities[owner].relationships.append(
                    .init(name: name, line: line + relationshipRest()))
            } else if owner == other, own != "one" || back == "one", dice.chance(20) {
                // A relationship that is its own inverse, such as `friends`.
                entities[owner].relationships.append(
                    .init(
                        name: name,
                        line: "\(back) \(entities[other].name) inverse \(name)"
                            + relationshipRest()))
            } else {
                let line = "\(own) \(entities[other].name) inverse \(inverse)"
                entities[owner].relationships.append(
                    .init(name: name, line: line + relationshipRest()))
                let backLine = "\(back) \(entities[owner].name) inverse \(name)"
                entities[other].relationships.append(
                    .init(name: inverse, line: backLine + relationshipRest()))
            }
        }
    }

    private mutating func relationshipRest() -> String {
        let rule = dice.pick(
            weighted: [
                ("", 50), (" nullify", 10), (" cascade", 20), (" deny", 10), (" no-action", 10),
            ])
        return rule + (dice.chance(5) ? " required" : "")
    }

    /// Adds uniqueness constraints and hooks.
    private mutating func makeRest() {
        if dice.chance(20) {
            let stored = entities[0].attributes.filter { !$0.line.contains("transient") }
            let keys = stored.map(\.name)
            entities[0].unique = [keys.count > 1 && dice.chance(30) ? Array(keys.prefix(2)) : ["n"]]
            if keys.count > 1, dice.chance(20) { entities[0].unique.append([keys[1]]) }
        }
        if dice.chance(12), let at = dice.pick(Array(entities.indices)) {
            entities[at].onDelete =
                dice.pick(entities[at].attributes + entities[at].relationships)?.name
        }
    }
}
