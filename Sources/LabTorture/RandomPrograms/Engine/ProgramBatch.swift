import CoreData

/// Executes a batch request. Other stores than SQLite must refuse the request. In these stores, the
/// same change is then made to objects.
struct ProgramBatch {
    let context: NSManagedObjectContext
    let object: (Int) -> NSManagedObject?

    func request(_ step: ProgramStep) throws -> String {
        switch step {
        case .batchUpdate(let kind, let attribute, let value, let condition):
            let request = NSBatchUpdateRequest(entityName: kind.entity)
            request.predicate = condition.predicate(object)
            request.resultType = .updatedObjectsCountResultType
            request.propertiesToUpdate = [
                attribute.rawValue: NSExpression(forConstantValue: value?.object)
            ]
            return Self.text((try context.execute(request) as? NSBatchUpdateResult)?.result)
        case .batchDelete(let kind, let condition):
            let rows = NSFetchRequest<any NSFetchRequestResult>(entityName: kind.entity)
            rows.predicate = condition.predicate(object)
            let request = NSBatchDeleteRequest(fetchRequest: rows)
            request.resultType = .resultTypeCount
            return Self.text((try context.execute(request) as? NSBatchDeleteResult)?.result)
        case .batchInsert(let kind, let rows):
            let objects = rows.sorted { $0.key < $1.key }.map { number, value in
                var row: [String: Any] = [ProgramModel.number: NSNumber(value: number)]
                if let attribute = kind.attributes.first { row[attribute.rawValue] = value.object }
                return row
            }
            let request = NSBatchInsertRequest(entityName: kind.entity, objects: objects)
            request.resultType = .count
            return Self.text((try context.execute(request) as? NSBatchInsertResult)?.result)
        default: return ""
        }
    }

    private static func text(_ result: Any?) -> String {
        (result as? NSNumber)?.stringValue ?? "\(result ?? "nothing")"
    }

    func byObjects(_ step: ProgramStep) throws -> String {
        if let complaint = refusal(step) { return complaint }
        var count = 0
        switch step {
        case .batchUpdate(let kind, let attribute, let value, let condition):
            for object in try found(kind, condition) {
                object.setValue(value?.object, forKey: attribute.rawValue)
                count += 1
            }
        case .batchDelete(let kind, let condition):
            for object in try found(kind, condition) {
                context.delete(object)
                count += 1
            }
        case .batchInsert(let kind, let rows):
            for (number, value) in rows.sorted(by: { $0.key < $1.key }) {
                let object = NSEntityDescription.insertNewObject(
                    forEntityName: kind.entity, into: context)
                object.setValue(NSNumber(value: number), forKey: ProgramModel.number)
                if let attribute = kind.attributes.first {
                    object.setValue(value.object, forKey: attribute.rawValue)
                }
                count += 1
            }
        default: break
        }
        try context.save()
        return "\(count)"
    }

    /// The text of the problem if the store accepts the request, which it must refuse; otherwise
    /// nil.
    private func refusal(_ step: ProgramStep) -> String? {
        do {
            return "this store accepted the request: \(try request(step))"
        } catch {
            return nil
        }
    }

    private func found(
        _ kind: ProgramKind, _ condition: ProgramCondition
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: kind.entity)
        request.predicate = condition.predicate(object)
        return try context.fetch(request)
    }
}
