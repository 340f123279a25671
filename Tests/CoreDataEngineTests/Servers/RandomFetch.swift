import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import TestSupport

/// A model with every kind of attribute and relationship, and random objects and fetches of it.
struct RandomFetch {
    private static let attributes = [
        "small", "middle", "large", "flag", "real", "single", "date", "exact", "word", "link", "id",
        "bytes",
    ]

    /// "Item" has the subentity "Special", a parent, children, and a list of related items.
    static func model() -> NSManagedObjectModel {
        let kinds = zip(attributes, RandomGraph.kinds)
        let item = GraphModels.entity(
            "Item", [GraphModels.number("tag")] + kinds.map { GraphModels.attribute($0, $1) })
        let special = GraphModels.entity("Special", [GraphModels.text("extra")])
        item.subentities = [special]
        GraphModels.relate(
            GraphModels.End(owner: item, name: "children", toMany: true),
            GraphModels.End(owner: item, name: "parent"))
        GraphModels.relate(
            GraphModels.End(owner: item, name: "related", toMany: true, ordered: true),
            GraphModels.End(owner: item, name: "relatedTo", toMany: true))
        return GraphModels.model([item, special])
    }

    /// Saves 40 objects with random values and links.
    static func fill(_ stack: GraphStack, seed: UInt64) throws {
        var random = RandomGraph(seed: seed)
        let context = stack.context()
        try context.on {
            let items = (1...40).map { tag in
                let item = context.make(random.chance(30) ? "Special" : "Item", ["tag": tag])
                for (name, kind) in zip(attributes, RandomGraph.kinds) {
                    item.setValue(random.value(kind), forKey: name)
                }
                return item
            }
            for item in items {
                if random.chance(60) { item.setValue(random.pick(items), forKey: "parent") }
                let related = item.mutableOrderedSetValue(forKey: "related")
                for _ in 0..<random.below(4) { related.add(random.pick(items)) }
            }
            try context.save()
        }
        stack.coordinator.rowCache.removeAll()
    }

    // MARK: Conditions

    private(set) var format = ""
    private(set) var arguments: [Any] = []
    private var random: RandomGraph
    private let sort: [NSSortDescriptor]
    private let limit: Int
    private let offset: Int
    private let batchSize: Int
    private let form: Int

    init(_ random: inout RandomGraph) {
        let keys = ["small", "real", "date", "word", "exact", "parent.word", "parent.small", "id"]
        sort = (0..<random.below(3)).map { _ in
            NSSortDescriptor(key: random.pick(keys), ascending: random.chance(50))
        }
        limit = random.chance(30) ? 1 + random.below(6) : 0
        offset = random.chance(20) ? random.below(6) : 0
        batchSize = random.chance(30) ? 1 + random.below(5) : 0
        form = random.below(4)
        self.random = random
        format = condition(depth: 2)
        random = self.random
    }

    private mutating func condition(depth: Int) -> String {
        guard depth > 0, random.chance(50) else { return comparison() }
        switch random.below(5) {
        case 0, 1: return "(\(condition(depth: depth - 1)) AND \(condition(depth: depth - 1)))"
        case 2, 3: return "(\(condition(depth: depth - 1)) OR \(condition(depth: depth - 1)))"
        default: return "NOT (\(condition(depth: depth - 1)))"
        }
    }

    private mutating func comparison() -> String {
        let sign = random.pick(["==", "!=", "<", "<=", ">", ">="])
        let number = random.pick(["small", "middle", "parent.small", "real"])
        switch random.below(12) {
        case 0, 1, 2:
            let place = random.below(Self.attributes.count - 2)
            let name = random.pick(["", "parent."]) + Self.attributes[place]
            return "\(name) \(sign) \(argument(RandomGraph.kinds[place]))"
        case 3:
            let operation = random.pick(["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "=="])
            let options = random.pick(["", "", "[c]", "[d]", "[cd]"])
            return "word \(operation)\(options) '\(random.pick(["a", "B", "ä", "a*", "?", "b c"]))'"
        case 4: return "\(number) IN {0, 1, 3}"
        case 5: return "\(number) BETWEEN {0, \(random.below(4))}"
        case 6: return "(\(number) \(random.pick(["+", "-"])) middle) \(sign) 1.5"
        case 7:
            let word = random.pick(["ANY", "ALL", "NONE"])
            return "\(word) \(random.pick(["children", "related"])).small \(sign) 1"
        case 8: return "\(random.pick(["children", "related"])).@count \(sign) \(random.below(3))"
        case 9:
            return "SUBQUERY(related, $x, $x.small \(sign) 1 AND $x.word != nil).@count > 0"
        case 10: return "children.@\(random.pick(["max", "min", "sum"])).middle \(sign) 1"
        default:
            return "\(random.pick(Self.attributes + ["parent"])) \(random.pick(["==", "!="])) nil"
        }
    }

    private mutating func argument(_ kind: NSAttributeType) -> String {
        guard let value = random.value(kind) else { return "nil" }
        arguments.append(value)
        return "%@"
    }

    // MARK: Results

    /// Executes the fetch and describes its result or its error.
    func result(_ stack: GraphStack) -> String {
        let context = stack.context()
        do { return try context.on { try result(context) } } catch {
            return "error \((error as NSError).code)"
        }
    }

    private func result(_ context: NSManagedObjectContext) throws -> String {
        switch form {
        case 0:
            let request: NSFetchRequest<NSManagedObject> = request()
            request.sortDescriptors = sort + [NSSortDescriptor(key: "tag", ascending: true)]
            request.fetchBatchSize = batchSize
            request.relationshipKeyPathsForPrefetching = batchSize > 2 ? ["children"] : nil
            return try context.fetch(request).map { "\($0.value(forKey: "tag") ?? "")" }
                .joined(separator: " ")
        case 1: return "\(try context.count(for: request() as NSFetchRequest<NSManagedObject>))"
        case 2:
            let request: NSFetchRequest<NSDictionary> = request()
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["word", "small", "parent.real"]
            request.returnsDistinctResults = true
            request.fetchLimit = 0
            request.fetchOffset = 0
            return try descriptions(context.fetch(request))
        default:
            let request: NSFetchRequest<NSDictionary> = request()
            request.resultType = .dictionaryResultType
            request.propertiesToGroupBy = ["flag"]
            request.propertiesToFetch = [
                "flag", function("count:", "tag", .integer64AttributeType),
                function("max:", "word", .stringAttributeType),
                function("sum:", "small", .integer64AttributeType),
            ]
            request.fetchLimit = 0
            request.fetchOffset = 0
            return try descriptions(context.fetch(request))
        }
    }

    private func request<Result>() -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: offset > 3 ? "Special" : "Item")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        request.fetchLimit = limit
        request.fetchOffset = offset
        return request
    }

    private func function(
        _ name: String, _ key: String, _ type: NSAttributeType
    ) -> NSExpressionDescription {
        let column = NSExpressionDescription()
        column.name = name + key
        column.expression = NSExpression(
            forFunction: name, arguments: [NSExpression(forKeyPath: key)])
        column.expressionResultType = type
        return column
    }

    /// The rows as text, sorted, because the fetch has no order.
    private func descriptions(_ rows: [NSDictionary]) -> String {
        rows.map { RandomGraph.description($0) }.sorted().joined(separator: "\n")
    }
}
