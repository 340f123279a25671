import LabScenario

/// Generates random predicates for one entity.
struct PredicateGenerator {
    let model: ModelView
    let entity: ModelView.Entity
    /// The names of known objects, with the names of their entities.
    let objects: [(name: String, entity: String)]

    func make(_ dice: inout Dice) -> String {
        let simple = term(&dice)
        guard dice.chance(20) else { return simple }
        return "\(simple) \(dice.chance(50) ? "AND" : "OR") \(term(&dice))"
    }

    private func term(_ dice: inout Dice) -> String {
        if dice.chance(25), let relationship = dice.pick(entity.relationships) {
            return overRelationship(relationship, &dice)
        }
        if dice.chance(4) { return dice.chance(50) ? "TRUEPREDICATE" : "FALSEPREDICATE" }
        let stored = entity.attributes.filter { !$0.isTransient }
        guard let attribute = dice.pick(stored) else { return "TRUEPREDICATE" }
        return compare(attribute, path: attribute.name, &dice)
    }

    private func compare(
        _ attribute: ModelView.Attribute, path: String, _ dice: inout Dice
    ) -> String {
        if dice.chance(4) { return "NOT (\(path) == nil)" }
        if dice.chance(12) { return "\(path) \(dice.chance(50) ? "==" : "!=") nil" }
        switch attribute.type {
        case .integer16, .integer32, .integer64:
            let sign = dice.pick(["==", "<", "<=", ">", ">="]) ?? "=="
            if dice.chance(15) { return "\(path) IN {1, 2, \(dice.below(6))}" }
            if dice.chance(10) { return "\(path) BETWEEN {1, \(dice.below(6))}" }
            return "\(path) \(sign) \(dice.below(6))"
        case .double, .float, .decimal:
            return
                "\(path) \(dice.pick(["==", "<", ">="]) ?? "==") \(dice.pick(["1", "1.5"]) ?? "1")"
        case .boolean: return "\(path) == \(dice.chance(50) ? "YES" : "NO")"
        case .string:
            let sign = dice.pick(["==", "CONTAINS", "BEGINSWITH", "ENDSWITH", "CONTAINS[c]"])
            return "\(path) \(sign ?? "==") \(dice.pick(["\"a\"", "\"b\"", "\"%\""]) ?? "\"a\"")"
        case .date, .uuid, .binary, .uri: return "\(path) != nil"
        }
    }

    private func overRelationship(
        _ relationship: ModelView.Relationship, _ dice: inout Dice
    ) -> String {
        let (key, fitting) = (
            relationship.name,
            objects.filter { model.isKind($0.entity, of: relationship.destination) }
        )
        // SQLite has no column for a transient attribute.
        let hasNumber =
            model.entity(relationship.destination)?.attributes
            .contains { $0.name == "n" && !$0.isTransient } ?? false
        if relationship.arity == .one {
            if dice.chance(40), let object = dice.pick(fitting) {
                return "\(key) == $\(object.name)"
            }
            return dice.chance(50) || !hasNumber
                ? "\(key) == nil" : "\(key).n > \(dice.below(4))"
        }
        switch hasNumber ? dice.below(4) : dice.below(2) * 3 {
        case 0: return "\(key).@count > \(dice.below(2))"
        case 1: return "ANY \(key).n > \(dice.below(4))"
        case 2: return "SUBQUERY(\(key), $z, $z.n == \(dice.below(4))).@count > 0"
        default:
            guard let object = dice.pick(fitting) else { return "\(key).@count == 0" }
            return "$\(object.name) IN \(key)"
        }
    }
}
