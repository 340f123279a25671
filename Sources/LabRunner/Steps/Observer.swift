import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import LabScenario

/// Records the observations at the end of a schedule: with a new context, with SQL, and from the
/// results of steps. It does not use the contexts of the scenario.
struct Observer {
    let world: LabWorld

    func observe() throws(CoreDataError) -> [ObservedValue] {
        let queue = SteppedQueue(label: "observer")
        let context = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: queue)
        try context.attach(to: world.store.main)
        return try queue.runAndWait { () throws(CoreDataError) in
            var values: [ObservedValue] = []
            for observation in world.plan.scenario.observations {
                values.append(try value(of: observation.source, context))
            }
            return values
        }
    }

    private func value(
        of source: ObservationSpec.Source, _ context: NSManagedObjectContext
    ) throws(CoreDataError) -> ObservedValue {
        // If a step has removed the store, its rows cannot be read.
        let isGone = world.store.main.persistentStores.isEmpty
        switch source {
        case .count where isGone, .read where isGone, .sql where isGone: return .none
        case .count(let query):
            return .integer(Int64(try context.countResults(try options(query, context))))
        case .read(let query, let keys): return try read(query, keys, context)
        case .sql(let sql): return try world.store.select(sql)
        case .status(let step): return world.notes.status(of: step.value) ?? .none
        case .value(let name): return world.notes.values[name.value] ?? .none
        case .cost(let cost, let step):
            guard let spent = world.costs[step.value] else { return .none }
            switch cost {
            case .statements: return .integer(Int64(spent.statements))
            case .rows: return .integer(Int64(spent.rows))
            case .faults: return .integer(Int64(spent.faults))
            }
        }
    }

    private func read(
        _ query: Query, _ keys: [Located<String>], _ context: NSManagedObjectContext
    ) throws(CoreDataError) -> ObservedValue {
        guard case .objects(let objects) = try context.fetchResults(try options(query, context))
        else {
            return .none
        }
        // If the file states no order, rows are sorted by their keys.
        let ordered =
            query.sort.isEmpty ? objects.sorted { $0.objectKey.key < $1.objectKey.key } : objects
        var values: [ObservedValue] = []
        for object in ordered { values.append(try read(keys.map(\.value), of: object)) }
        return values.isEmpty ? .none : values.count == 1 ? values[0] : .list(values)
    }

    private func read(
        _ keys: [String], of object: NSManagedObject
    ) throws(CoreDataError) -> ObservedValue {
        var object = object
        for key in keys.dropLast() {
            guard let next = try object.readValue(forKey: key) as? NSManagedObject else {
                return .null
            }
            object = next
        }
        guard let key = keys.last else { return .none }
        if object.layout.toManySlot(named: key) != nil {
            return .integer(Int64(try Relating.members(of: object, key).count))
        }
        guard let slot = object.layout.valueSlot(named: key) else { return .none }
        return LiteralCoding.observed(
            try object.value(at: slot), kind: object.layout.values[slot].kind, name: world.alias)
    }

    private func options(
        _ query: Query, _ context: NSManagedObjectContext
    ) throws(CoreDataError) -> FetchRequestOptions {
        guard let text = query.predicate else { return query.options(nil) }
        return query.options(try predicate(text, context))
    }

    private func predicate(
        _ text: PredicateText, _ context: NSManagedObjectContext
    ) throws(CoreDataError) -> NSPredicate {
        let parsed: NSPredicate
        do throws(PredicateFormatError) {
            parsed = try world.predicates.predicate(text)
        } catch {
            throw CoreDataError(.invalidArgument, error.description)
        }
        if text.variables.isEmpty { return parsed }
        var variables: [String: Any] = [:]
        for variable in text.variables {
            variables[variable.value] = try value(of: variable.value, context)
        }
        return parsed.withSubstitutionVariables(variables)
    }

    /// A parameter of the matrix, or an object of the setup.
    private func value(
        of variable: String, _ context: NSManagedObjectContext
    ) throws(CoreDataError) -> Any {
        if let parameter = world.plan.cell[variable] {
            return Evaluation.foundation(LiteralCoding.observed(parameter.value))
        }
        guard let id = world.setupID(variable, on: world.store.main) else { return NSNull() }
        return try context.fault(with: id)
    }
}
