import CoreData
import Foundation

/// A random model and random values for it. Its entity and subentity have attributes of all kinds.
struct KindsModel {
    struct Member {
        var name: String
        var kind: Kind
        /// The name in an older version of the model.
        var formerName: String?
    }

    enum Kind: CaseIterable {
        case boolean, integer16, integer32, integer64, double, float, decimal, string, date, uuid,
            uri, binary, external, transformable, composite, transient, untyped, derived, objectID

        var type: NSAttributeType {
            switch self {
            case .boolean: .booleanAttributeType
            case .integer16: .integer16AttributeType
            case .integer32: .integer32AttributeType
            case .integer64: .integer64AttributeType
            case .double: .doubleAttributeType
            case .float: .floatAttributeType
            case .decimal: .decimalAttributeType
            case .string, .transient, .derived: .stringAttributeType
            case .date: .dateAttributeType
            case .uuid: .UUIDAttributeType
            case .uri: .URIAttributeType
            case .binary, .external: .binaryDataAttributeType
            case .transformable: .transformableAttributeType
            case .composite: .compositeAttributeType
            case .untyped: .undefinedAttributeType
            case .objectID: .objectIDAttributeType
            }
        }

        /// Whether the store saves the value of an attribute of this kind.
        var isStored: Bool { !isTransient && self != .derived }

        var isTransient: Bool { [.transient, .untyped, .objectID].contains(self) }

        var isWhole: Bool { [.boolean, .integer16, .integer32, .integer64].contains(self) }

        /// Another kind that can store all values of this kind without conversion. Nil if none
        /// exists.
        var wider: Kind? {
            switch self {
            case .boolean: .integer16
            case .integer16: .integer32
            case .integer32: .integer64
            default: nil
            }
        }
    }

    var members: [Member]
    /// The number of attributes of the parent entity, which are the first ones. The subentity has
    /// all.
    let parentCount: Int

    init(_ random: inout SeededRandom) {
        // A derived attribute is computed from the first member, which is a text.
        members = [Member(name: "a0", kind: .string)]
        for number in 1...(4 + random.next(below: 9)) {
            let kind = Kind.allCases[random.next(below: Kind.allCases.count)]
            members.append(Member(name: "a\(number)", kind: kind))
        }
        parentCount = 1 + random.next(below: members.count)
    }

    /// A version to which a migration can be inferred. Members are removed, added, renamed or
    /// widened.
    func neighbour(_ random: inout SeededRandom) -> KindsModel {
        var next = self
        for place in next.members.indices.dropFirst() {
            next.members[place].formerName = nil
            switch random.next(below: 5) {
            case 0:
                next.members[place].formerName = members[place].name
                next.members[place].name = "renamed\(members[place].name)"
            case 1: if let wider = members[place].kind.wider { next.members[place].kind = wider }
            default: continue
            }
        }
        if next.members.count > 2, random.next(below: 2) == 0 {
            next.members[next.members.count - 1] = Member(name: "fresh", kind: .integer64)
        }
        return next
    }

    func make() -> NSManagedObjectModel {
        let parent = NSEntityDescription()
        parent.name = "Thing"
        let split = min(parentCount, members.count)
        parent.properties = members[..<split].map(Self.attribute)
        let child = NSEntityDescription()
        child.name = "Special"
        child.properties = members[split...].map(Self.attribute)
        parent.subentities = [child]
        let model = NSManagedObjectModel()
        model.entities = [parent, child]
        return model
    }

    private static func attribute(_ member: Member) -> NSAttributeDescription {
        let made: NSAttributeDescription
        switch member.kind {
        case .derived:
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = NSExpression(format: "uppercase:(a0)")
            made = derived
        case .composite:
            let composite = NSCompositeAttributeDescription()
            composite.elements = [Kind.integer32, .string].enumerated().map { number, kind in
                attribute(Member(name: "e\(number)", kind: kind))
            }
            made = composite
        default: made = NSAttributeDescription()
        }
        made.name = member.name
        made.attributeType = member.kind.type
        made.isOptional = true
        made.isTransient = member.kind.isTransient
        made.allowsExternalBinaryDataStorage = member.kind == .external
        made.renamingIdentifier = member.formerName
        return made
    }

    // MARK: Values

    /// A value of the kind, often an unusual one. Nil means no value.
    static func value(_ kind: Kind, _ random: inout SeededRandom) -> Any? {
        if random.next(below: 5) == 0 { return nil }
        let pick = random.next(below: 6)
        let number = Int64(bitPattern: random.next())
        switch kind {
        case .boolean: return number & 1 == 0
        case .integer16:
            return [0, -1, Int16.max, Int16.min, Int16(truncatingIfNeeded: number)][pick % 5]
        case .integer32:
            return [0, -1, Int32.max, Int32.min, Int32(truncatingIfNeeded: number)][pick % 5]
        case .integer64: return [0, -1, Int64.max, Int64.min, number][pick % 5]
        case .double:
            return [0, -0.5, 1e300, .leastNonzeroMagnitude, Double(number) / 1e6][pick % 5]
        case .float:
            return [0, -0.5, Float.greatestFiniteMagnitude, Float(number % 1000) / 8][pick % 4]
        case .decimal:
            return NSDecimalNumber(
                mantissa: UInt64(number.magnitude % 100_000), exponent: -2, isNegative: number < 0)
        case .string, .transient, .untyped, .derived:
            return ["", "a", "é\u{301}", "Straße 🦊", "'; DROP", "line\nline \(number)"][pick]
        case .date: return Date(timeIntervalSinceReferenceDate: Double(number % 1_000_000_000) / 4)
        case .uuid: return UUID()
        case .uri: return URL(string: "https://example.org/\(pick)?q=\(number)")
        case .binary: return Data((0..<(pick * 7)).map { UInt8(truncatingIfNeeded: number >> $0) })
        case .external:
            // The store writes large values into separate files.
            let count = pick < 2 ? 100_001 + pick : pick * 100
            return Data(repeating: UInt8(truncatingIfNeeded: number), count: count)
        case .transformable: return [NSNumber(value: pick), "x", ["k": pick]] as NSArray
        // New objects get the id of the object before them instead.
        case .objectID: return nil
        case .composite: return ["e0": Int32(pick), "e1": "text \(pick)"] as [String: Any]
        }
    }
}
