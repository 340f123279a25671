import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import ScenarioWriting

/// Copies the recorded parts of a request when the request runs. Managed objects among its
/// constants may not exist later, and may be used only on their queue.
enum QueryReading {
    static func query(_ options: FetchRequestOptions) -> RecordedQuery? {
        guard let entity = options.entityName ?? options.entity?.name else { return nil }
        var query = RecordedQuery(entity, where: options.predicate.map { predicate($0) })
        query.sort = (options.sortDescriptors ?? []).compactMap { sort in
            sort.key.map { ($0, sort.ascending) }
        }
        query.limit = options.fetchLimit
        query.offset = options.fetchOffset
        query.batch = options.fetchBatchSize
        query.prefetch = options.relationshipKeyPathsForPrefetching ?? []
        query.isRefreshing = options.shouldRefreshRefetchedObjects
        query.isRealised = !options.returnsObjectsAsFaults
        query.seesPending = options.includesPendingChanges
        query.hasSubentities = options.includesSubentities
        query.unsaid = unsaid(options)
        return query
    }

    private static func unsaid(_ options: FetchRequestOptions) -> [String] {
        var found: [String] = []
        for sort in options.sortDescriptors ?? [] where sort.key == nil {
            found.append("an order by a block")
        }
        if options.resultType == .dictionaryResultType { found.append("the dictionaries") }
        if options.propertiesToFetch?.isEmpty == false { found.append("propertiesToFetch") }
        if options.propertiesToGroupBy?.isEmpty == false { found.append("propertiesToGroupBy") }
        if options.havingPredicate != nil { found.append("havingPredicate") }
        if options.returnsDistinctResults { found.append("returnsDistinctResults") }
        if !options.includesPropertyValues { found.append("includesPropertyValues") }
        if options.affectedStores != nil { found.append("affectedStores") }
        return found
    }

    // MARK: Predicates

    static func predicate(_ predicate: NSPredicate, depth: Int = 0) -> RecordedPredicate {
        guard depth < 20 else { return .text("") }
        switch predicate.node {
        case .constant(let isTrue): return .text(isTrue ? "TRUEPREDICATE" : "FALSEPREDICATE")
        case .block: return .text("")
        case .compound(let type, let parts):
            let read = parts.map { self.predicate($0, depth: depth + 1) }
            switch type {
            case .and: return .all(read)
            case .or: return .any(read)
            case .not: return read.first.map { .not($0) } ?? .text("")
            }
        case .comparison(let comparison):
            if let read = compared(comparison) { return read }
            return .text(hasObjects(comparison) ? "" : predicate.predicateFormat)
        }
    }

    private static func compared(_ comparison: Comparison) -> RecordedPredicate? {
        guard comparison.modifier == .direct, let word = word(comparison.operator) else {
            return nil
        }
        let path: String
        switch comparison.left.node {
        case .keyPath(let keys): path = keys.joined(separator: ".")
        case .evaluatedObject: path = "SELF"
        default: return nil
        }
        guard let constants = constants(comparison.right) else { return nil }
        var options = ""
        if comparison.options.contains(.caseInsensitive) { options += "c" }
        if comparison.options.contains(.diacriticInsensitive) { options += "d" }
        return .compare(path, options.isEmpty ? word : "\(word)[\(options)]", constants)
    }

    private static func word(_ comparison: NSComparisonPredicate.Operator) -> String? {
        switch comparison {
        case .equalTo: "=="
        case .notEqualTo: "!="
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .contains: "CONTAINS"
        case .like: "LIKE"
        case .matches: "MATCHES"
        case .in: "IN"
        default: nil
        }
    }

    private static func constants(_ expression: NSExpression) -> [RecordedValue]? {
        switch expression.node {
        case .constant(let constant): return list(constant) ?? value(constant).map { [$0] }
        case .aggregate(let parts):
            let read = parts.compactMap { constants($0)?.first }
            return read.count == parts.count ? read : nil
        default: return nil
        }
    }

    private static func list(_ constant: Any?) -> [RecordedValue]? {
        let all: [Any]
        switch constant {
        case let array as [Any]: all = array
        case let set as Set<AnyHashable>: all = set.map(\.base)
        case let array as NSArray: all = array.map { $0 }
        case let set as NSSet: all = set.allObjects
        default: return nil
        }
        let read = all.prefix(200).compactMap { value($0) }
        return read.count == all.count ? read : nil
    }

    static func value(_ constant: Any?) -> RecordedValue? {
        switch constant {
        case nil, is NSNull: .null
        case let object as NSManagedObject:
            .object(RecordedObject(object.entity.name ?? "", object.objectKey.key))
        case let id as NSManagedObjectID:
            .object(RecordedObject(id.entity.name ?? "", id.key.key))
        case let text as String: .text(text)
        case let flag as Bool: .flag(flag)
        case let number as Int: .integer(Int64(number))
        case let number as Int64: .integer(number)
        case let number as Double: .number(number)
        case let decimal as NSDecimalNumber: .decimal(decimal.description)
        case let number as NSNumber: self.number(number)
        case let decimal as Decimal: .decimal(decimal.description)
        case let date as Date: .number(date.timeIntervalSinceReferenceDate)
        case let uuid as UUID: .text(uuid.uuidString)
        case let url as URL: .text(url.absoluteString)
        case let data as Data: .bytes(Array(data.prefix(LogValue.bytesMax)))
        default: nil
        }
    }

    private static func number(_ number: NSNumber) -> RecordedValue {
        ["d", "f"].contains(String(cString: number.objCType))
            ? .number(number.doubleValue) : .integer(number.int64Value)
    }

    /// Whether a comparison contains managed objects. This is checked first, because describing an
    /// object would read its values.
    private static func hasObjects(_ comparison: Comparison) -> Bool {
        [comparison.left, comparison.right].contains { expression in
            switch expression.node {
            case .constant(let constant):
                constant is NSManagedObject || list(constant) == nil && value(constant) == nil
            case .keyPath, .evaluatedObject, .aggregate, .function: false
            default: true
            }
        }
    }

    // MARK: Batches

    /// For a batch with more rows, only the number of rows is recorded.
    private static let rowsMax = 32

    static func batch(_ plan: BatchPlan) -> RecordedBatch {
        switch plan {
        case .insert(let insert):
            let width = insert.entity.values.count
            let rows = insert.named.prefix(rowsMax).enumerated().map { row, slots in
                var values: [String: RecordedValue] = [:]
                for slot in slots where row * width + slot < insert.values.count {
                    values[insert.entity.values[slot].name] = stored(
                        insert.values[row * width + slot])
                }
                return values
            }
            return .insert(insert.entity.name, rows, count: insert.named.count)
        case .update(let update):
            var values: [String: RecordedValue] = [:]
            for (slot, assigned) in update.assignments {
                let name = update.plan.entity.values[slot].name
                switch assigned {
                case .value(let value): values[name] = stored(value)
                case .expression: values[name] = .lost("an expression")
                }
            }
            return .update(query(update.plan), values)
        case .delete(let delete): return .delete(query(delete.plan))
        }
    }

    private static func query(_ plan: FetchPlan) -> RecordedQuery {
        RecordedQuery(plan.entity.name, where: plan.predicate.map { predicate($0) })
    }

    private static func stored(_ value: Value) -> RecordedValue {
        switch value {
        case .null: .null
        case .integer(let number): .integer(number)
        case .double(let number): .number(number)
        case .string(let text): .text(text)
        case .data(let data): .bytes(Array(data.prefix(LogValue.bytesMax)))
        case .uuid(let uuid): .text(uuid.uuidString)
        case .decimal(let decimal): .decimal(decimal.description)
        case .reference, .object: .lost("an object")
        }
    }
}
