import CoreDataPredicate

extension NSDerivedAttributeDescription {
    /// The text of the derivation in a form that is equal for all of its spellings. For example, a
    /// compiled model contains a function call in place of a key path that ends in an operator.
    var normalForm: String {
        guard let expression = derivationExpression else { return "" }
        guard let owner, let read = try? DerivationReader(owner).read(expression) else {
            return expression.description
        }
        let path = (read.hops.map(\.name) + [read.members?.name, read.value?.name])
            .compactMap { $0 }.joined(separator: ".")
        return switch read.function {
        case .now: "now()"
        case .count: "count:(\(path))"
        case .value(let form): "\(form?.rawValue ?? "")(\(path))"
        case .aggregate(let aggregate): "\(aggregate.rawValue)(\(path))"
        }
    }
}

/// A derivation with property descriptions in place of slots, because slots are not numbered yet.
struct NamedDerivation {
    enum Function {
        case now, count
        case value(Derivation.TextForm?)
        case aggregate(Derivation.Aggregate)
    }

    let function: Function
    /// The to-one relationships on the path, starting at the attribute's entity.
    var hops: [NSRelationshipDescription] = []
    var members: NSRelationshipDescription?
    var value: NSAttributeDescription?
}

/// Reads the expression of a derived attribute.
///
/// The model check uses it to report mistakes. The layout builder uses it to create the derivation.
struct DerivationReader {
    /// The reason why a store cannot compute an expression.
    struct Problem: Error {
        let text: String
    }

    private let entity: NSEntityDescription

    init(_ entity: NSEntityDescription) { self.entity = entity }

    static let advice =
        "write now(), a key path over to-one relationships, canonical:(path), uppercase:(path),"
        + " lowercase:(path), relationship.@count, or relationship.attribute.@sum, @avg, @min or"
        + " @max"

    func read(_ expression: NSExpression) throws(Problem) -> NamedDerivation {
        switch expression.node {
        case .function("now", _): return NamedDerivation(function: .now)
        case .function(let name, let arguments):
            guard let argument = arguments.first, case .keyPath(let keys) = argument.node else {
                throw problem("\(expression)")
            }
            if name == "count:" { return try members(keys, .count) }
            if let form = Derivation.TextForm(rawValue: name) {
                return try value(keys, form: form)
            }
            if let aggregate = Derivation.Aggregate(rawValue: name) {
                return try members(keys, .aggregate(aggregate))
            }
            throw problem(name)
        case .keyPath(let keys): return try path(keys)
        default: throw problem("\(expression)")
        }
    }

    private func path(_ keys: [String]) throws(Problem) -> NamedDerivation {
        guard let place = keys.firstIndex(where: { $0.hasPrefix("@") }) else {
            return try value(keys, form: nil)
        }
        var path = keys
        let sign = path.remove(at: place)
        if sign == "@count" { return try members(path, .count) }
        let aggregates: [String: Derivation.Aggregate] = [
            "@sum": .sum, "@avg": .average, "@min": .minimum, "@max": .maximum,
        ]
        guard let aggregate = aggregates[sign] else { throw problem(sign) }
        return try members(path, .aggregate(aggregate))
    }

    private func value(
        _ keys: [String], form: Derivation.TextForm?
    ) throws(Problem) -> NamedDerivation {
        var found = NamedDerivation(function: .value(form))
        var owner = entity
        for key in keys.dropLast() {
            guard let hop = relationship(key, of: owner), !hop.isToMany,
                let next = hop.destinationEntity
            else {
                throw Problem(
                    text: "\"\(key)\" is not a to-one relationship of \(owner.name ?? "")")
            }
            found.hops.append(hop)
            owner = next
        }
        found.value = try attribute(keys.last ?? "", of: owner)
        if form != nil, found.value?.attributeType != .stringAttributeType {
            throw Problem(text: "\"\(keys.joined(separator: "."))\" is not a string")
        }
        return found
    }

    private func members(
        _ keys: [String], _ function: NamedDerivation.Function
    ) throws(Problem) -> NamedDerivation {
        let takesValue = if case .aggregate = function { true } else { false }
        guard keys.count == (takesValue ? 2 : 1) else {
            throw problem(keys.joined(separator: "."))
        }
        guard let members = relationship(keys[0], of: entity), members.isToMany,
            let destination = members.destinationEntity
        else {
            throw Problem(
                text: "\"\(keys[0])\" is not a to-many relationship of \(entity.name ?? "")")
        }
        var found = NamedDerivation(function: function, members: members)
        if takesValue { found.value = try attribute(keys[1], of: destination) }
        return found
    }

    private func relationship(
        _ name: String, of entity: NSEntityDescription
    ) -> NSRelationshipDescription? {
        entity.properties.first { $0.name == name && !$0.isTransient }
            as? NSRelationshipDescription
    }

    private func attribute(
        _ name: String, of entity: NSEntityDescription
    ) throws(Problem) -> NSAttributeDescription {
        guard
            let found = entity.properties.first(where: { $0.name == name })
                as? NSAttributeDescription, !found.isTransient,
            !(found is NSDerivedAttributeDescription), !(found is NSCompositeAttributeDescription)
        else {
            throw Problem(
                text: "\"\(name)\" is not an attribute of \(entity.name ?? "") with a stored value")
        }
        return found
    }

    private func problem(_ text: String) -> Problem {
        Problem(text: "a store cannot compute \"\(text)\"")
    }
}
