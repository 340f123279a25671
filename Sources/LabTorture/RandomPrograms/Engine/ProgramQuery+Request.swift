import CoreData

extension ProgramQuery {
    /// - Parameter object: returns the object with a number.
    func request<Result: NSFetchRequestResult>(
        _ object: (Int) -> NSManagedObject?
    ) -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: kind.entity)
        request.predicate = condition.predicate(object)
        request.includesSubentities = !excludesSubentities
        request.fetchLimit = limit
        request.fetchOffset = offset
        if hasOrder {
            let own = sort.map { NSSortDescriptor(key: $0.rawValue, ascending: !isDescending) }
            let last = NSSortDescriptor(key: ProgramModel.number, ascending: true)
            request.sortDescriptors = (own.map { [$0] } ?? []) + [last]
        }
        switch manner {
        case .plain, .without: break
        case .realised: request.returnsObjectsAsFaults = false
        case .batched: request.fetchBatchSize = 2
        case .keysOnly: request.includesPropertyValues = false
        case .prefetched:
            request.relationshipKeyPathsForPrefetching = kind.links.map(\.name)
        }
        return request
    }

    /// Whether the query defines the order of its result.
    var hasOrder: Bool { manner != .without || limit > 0 || offset > 0 || sort != nil }
}

extension ProgramCondition {
    func predicate(_ object: (Int) -> NSManagedObject?) -> NSPredicate {
        switch self {
        case .everything: return NSPredicate(value: true)
        case .compare(let link, let attribute, let comparison, let value):
            let path = (link.map { "\($0.name)." } ?? "") + attribute.rawValue
            return Self.comparison(path, comparison.rawValue, value)
        case .search(let attribute, let search, let options, let text):
            return NSPredicate(
                format: "%K \(search.rawValue)\(options) %@",
                argumentArray: [attribute.rawValue, text])
        case .among(let attribute, let values):
            return NSPredicate(
                format: "%K IN %@", argumentArray: [attribute.rawValue, values.map(\.object)])
        case .leads(let link, let number):
            guard let number else { return NSPredicate(format: "\(link.name) == nil") }
            return NSPredicate(
                format: "%K == %@", argumentArray: [link.name, object(number) as Any])
        case .isOneOf(let numbers):
            return NSPredicate(format: "SELF IN %@", argumentArray: [numbers.compactMap(object)])
        case .members(let quantity, let link, let attribute, let comparison, let value):
            return Self.comparison(
                "\(link.name).\(attribute)", comparison.rawValue, value, quantity.rawValue)
        case .hasMember(let link, let number):
            return NSPredicate(
                format: "ANY \(link.name) == %@", argumentArray: [object(number) as Any])
        case .count(let link, let comparison, let count):
            return NSPredicate(format: "\(link.name).@count \(comparison.rawValue) \(count)")
        case .counted(let link, let attribute, let comparison, let value, let than, let count):
            return NSPredicate(
                format: "SUBQUERY(\(link.name), $x, $x.\(attribute) \(comparison.rawValue) %@)"
                    + ".@count \(than.rawValue) \(count)",
                argumentArray: [value.object])
        case .not(let condition):
            return NSCompoundPredicate(notPredicateWithSubpredicate: condition.predicate(object))
        case .both(let first, let second):
            return NSCompoundPredicate(
                andPredicateWithSubpredicates: [first, second].map { $0.predicate(object) })
        case .either(let first, let second):
            return NSCompoundPredicate(
                orPredicateWithSubpredicates: [first, second].map { $0.predicate(object) })
        }
    }

    private static func comparison(
        _ path: String, _ sign: String, _ value: ProgramValue?, _ quantity: String = ""
    ) -> NSPredicate {
        guard let value else { return NSPredicate(format: "\(quantity) \(path) \(sign) nil") }
        return NSPredicate(
            format: "\(quantity) \(path) \(sign) %@", argumentArray: [value.object])
    }
}
