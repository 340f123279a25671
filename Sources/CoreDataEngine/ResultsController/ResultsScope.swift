import CoreDataModel
import CoreDataPredicate

/// Evaluates a request in memory: whether the results contain an object, and in which order.
///
/// Each fetch of a results controller creates a scope, which is used until the next fetch.
struct ResultsScope {
    let entity: EntityLayout
    let includesSubentities: Bool
    let predicate: NSPredicate?
    let sortDescriptors: [NSSortDescriptor]
    /// The keys of the path to the section name; nil for no sections.
    let sectionKeys: [String]?
    private let orderPaths: [[String]]

    init(
        entity: EntityLayout, includesSubentities: Bool, predicate: NSPredicate?,
        sortDescriptors: [NSSortDescriptor], sectionKeys: [String]?
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.sectionKeys = sectionKeys
        orderPaths =
            sortDescriptors.compactMap { $0.key?.split(separator: ".").map(String.init) }
            + [sectionKeys ?? []]
    }

    func covers(_ layout: EntityLayout) -> Bool {
        includesSubentities ? layout.isKind(of: entity) : layout.index == entity.index
    }

    func holds(_ object: NSManagedObject) throws(PredicateEvaluationError) -> Bool {
        guard let predicate else { return true }
        return try predicate.selects(object)
    }

    /// Whether an object has unsaved changes, and none of them affects the order.
    func keepsOrder(_ object: NSManagedObject) -> Bool {
        guard object.pending != nil else { return false }
        return orderPaths.allSatisfy { !Self.isChanged($0, of: object) }
    }

    private static func isChanged(_ path: [String], of object: NSManagedObject) -> Bool {
        var object = object
        for key in path {
            guard let slot = object.layout.valueSlot(named: key),
                object.pending?.isSet(slot) != true
            else { return true }
            guard object.layout.isToOne(slot) else { return false }
            guard let next = try? object.readValue(forKey: key) as? NSManagedObject else {
                return false
            }
            object = next
        }
        return false
    }

    func section(of object: NSManagedObject) throws(PredicateEvaluationError) -> String {
        guard let sectionKeys else { return "" }
        return Self.name(try KeyReading.value(at: sectionKeys[...], of: object))
    }

    private static func name(_ value: Any?) -> String {
        switch value {
        case nil, is NSNull: ""
        case let text as String: text
        case let number as NSNumber: number.stringValue
        case let value?: "\(value)"
        }
    }
}
