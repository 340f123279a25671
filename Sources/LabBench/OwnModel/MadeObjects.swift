import CoreData
import Foundation

/// Generates objects of a user's model from a random seed.
struct MadeObjects {
    let model: NSManagedObjectModel
    private var generator: SplitMix64
    private var objects: [String: [NSManagedObject]] = [:]

    init(_ model: NSManagedObjectModel, seed: Int) {
        self.model = model
        generator = SplitMix64(seed: UInt64(bitPattern: Int64(seed)))
    }

    /// Inserts this number of objects of each entity, and links the objects.
    mutating func insert(
        _ counts: [(entity: String, count: Int)], into context: NSManagedObjectContext
    ) {
        for (name, count) in counts {
            guard let entity = model.entitiesByName[name] else { continue }
            objects[name] = (0..<count).map { index in
                let object = NSManagedObject(entity: entity, insertInto: context)
                fill(object, index)
                return object
            }
        }
        for (name, _) in counts {
            guard let entity = model.entitiesByName[name] else { continue }
            for (_, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
                link(objects[name] ?? [], relationship)
            }
        }
    }

    // MARK: Values

    private mutating func fill(_ object: NSManagedObject, _ index: Int) {
        for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key }) {
            guard let value = value(of: attribute, index) else { continue }
            object.setValue(value, forKey: name)
        }
    }

    /// A value of the attribute's type. Strings are unique, and whole numbers fit every integer
    /// type.
    private mutating func value(of attribute: NSAttributeDescription, _ index: Int) -> Any? {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            NSNumber(value: generator.below(30_000))
        case .doubleAttributeType, .floatAttributeType:
            NSNumber(value: Double(generator.below(1_000_000)) / 8)
        case .decimalAttributeType: NSDecimalNumber(value: generator.below(1_000_000))
        case .booleanAttributeType: NSNumber(value: generator.below(2) == 1)
        case .dateAttributeType:
            Date(timeIntervalSinceReferenceDate: Double(generator.below(600_000_000)))
        case .stringAttributeType: word() + " \(index)"
        case .binaryDataAttributeType: Data(word().utf8)
        case .UUIDAttributeType: uuid()
        case .URIAttributeType: URL(string: "https://example.com/\(index)")
        default: nil
        }
    }

    private mutating func word() -> String {
        let syllables = ["ba", "do", "fi", "ku", "le", "mo", "na", "ri", "su", "te"]
        return (0..<6).map { _ in syllables[generator.below(syllables.count)] }.joined()
    }

    private mutating func uuid() -> UUID {
        // Safe: both types are sixteen plain bytes.
        UUID(uuid: unsafeBitCast((generator.next(), generator.next()), to: uuid_t.self))
    }

    // MARK: Links

    /// The number of members that each owner gets if a to-many relationship has no to-one inverse.
    private static let membersOfEach = 3

    private mutating func link(
        _ owners: [NSManagedObject], _ relationship: NSRelationshipDescription
    ) {
        guard let destination = relationship.destinationEntity else { return }
        let candidates = objects.sorted { $0.key < $1.key }.flatMap(\.value)
            .filter { $0.entity.isKindOf(entity: destination) }
        guard !candidates.isEmpty else { return }
        let inverse = relationship.inverseRelationship
        if relationship.isToMany {
            guard inverse.map({ $0.isToMany && isFirst(relationship, $0) }) ?? true else { return }
            for owner in owners { addMembers(to: owner, relationship, candidates) }
        } else if let inverse, !inverse.isToMany {
            guard isFirst(relationship, inverse) else { return }
            for (owner, other) in zip(owners, candidates) where owner !== other {
                owner.setValue(other, forKey: relationship.name)
            }
        } else {
            linkEach(owners, relationship, candidates)
        }
    }

    /// Whether this one of two inverse relationships is set. The other follows from it.
    private func isFirst(
        _ one: NSRelationshipDescription, _ other: NSRelationshipDescription
    ) -> Bool {
        func name(_ each: NSRelationshipDescription) -> String {
            "\(each.entity.name ?? "").\(each.name)"
        }
        return name(one) <= name(other)
    }

    private mutating func linkEach(
        _ owners: [NSManagedObject], _ relationship: NSRelationshipDescription,
        _ candidates: [NSManagedObject]
    ) {
        let isTree = relationship.destinationEntity === relationship.entity
        for (index, owner) in owners.enumerated() {
            // In a relationship to its own entity, each object refers only to earlier objects. So
            // there are no cycles.
            let choice = isTree ? min(index, candidates.count) : candidates.count
            guard choice > 0 else { continue }
            owner.setValue(candidates[generator.below(choice)], forKey: relationship.name)
        }
    }

    private mutating func addMembers(
        to owner: NSManagedObject, _ relationship: NSRelationshipDescription,
        _ candidates: [NSManagedObject]
    ) {
        var members: [NSManagedObject] = []
        for _ in 0..<Self.membersOfEach {
            let member = candidates[generator.below(candidates.count)]
            if !members.contains(where: { $0 === member }) { members.append(member) }
        }
        owner.setValue(members, forKey: relationship.name)
    }
}
