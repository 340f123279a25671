/// The entities of a model in Core Data's numbering (`Z_ENT`), for code that needs it before a
/// layout exists.
///
/// The inheritance must not have cycles.
struct EntityOrder {
    /// Pre-order over the inheritance forest, siblings by name without regard to case.
    private(set) var entities: [NSEntityDescription] = []
    private(set) var indexes: [ObjectIdentifier: Int] = [:]
    /// The index after the last descendant of each entity.
    private(set) var familyEnds: [Int] = []

    init(_ model: NSManagedObjectModel) {
        append(model.entities.filter { $0.superentity == nil })
    }

    private mutating func append(_ siblings: [NSEntityDescription]) {
        for entity in siblings.sorted(by: Self.precedes) {
            let index = entities.count
            indexes[ObjectIdentifier(entity)] = index
            entities.append(entity)
            familyEnds.append(index + 1)
            append(entity.subentities)
            familyEnds[index] = entities.count
        }
    }

    private static func precedes(_ a: NSEntityDescription, _ b: NSEntityDescription) -> Bool {
        let (left, right) = (a.name ?? "", b.name ?? "")
        let (lowerLeft, lowerRight) = (left.lowercased(), right.lowercased())
        return lowerLeft == lowerRight
            ? left.precedesInASCII(right) : lowerLeft.precedesInASCII(lowerRight)
    }

    func index(of entity: NSEntityDescription) -> Int? { indexes[ObjectIdentifier(entity)] }

    /// `Z_ENT` of an entity that is in the model.
    func number(of entity: NSEntityDescription) -> Int { (index(of: entity) ?? -1) + 1 }
}

extension String {
    /// Whether the string precedes another string in the order of their UTF-8 bytes.
    func precedesInASCII(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
