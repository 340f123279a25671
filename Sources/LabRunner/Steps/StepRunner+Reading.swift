import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import LabScenario

extension StepRunner {
    func perform(_ action: ListAction) throws(Stop) -> String {
        switch action {
        case .fetch(let query, let name): try fetch(query, name?.value)
        case .count(let query, let name): try count(query, name?.value)
        case .watch(let query, let sections, let name):
            try watch(query, by: sections?.value, name.value)
        case .shown(let list, let isBySection, let name):
            try shown(list.value, isBySection: isBySection, name?.value)
        }
    }

    private func fetch(_ query: Query, _ name: String?) throws(Stop) -> String {
        let options = try options(query)
        let results = try running(query) { () throws(CoreDataError) in
            try context.context.fetchResults(options)
        }
        guard case .objects(let objects) = results else { return "" }
        let found = objects.map { world.name($0.objectKey) }
        note(query, found: found, count: found.count)
        bind(name, .objects(objects), .list(found.map { .object($0.alias) }))
        return found.isEmpty ? "nothing" : found.map(\.alias).joined(separator: ", ")
    }

    private func count(_ query: Query, _ name: String?) throws(Stop) -> String {
        let options = try options(query)
        let count = try running(query) { () throws(CoreDataError) in
            try context.context.countResults(options)
        }
        note(query, found: [], count: count)
        bind(name, .integer(Int64(count)))
        return String(count)
    }

    /// Runs a query, and reports a predicate that the engine refuses as misuse.
    private func running<Result>(
        _ query: Query, _ body: () throws(CoreDataError) -> Result
    ) throws(Stop) -> Result {
        do throws(CoreDataError) {
            return try body()
        } catch {
            if query.predicate != nil, [.invalidArgument, .unknownKey].contains(error.code) {
                throw .misuse(.badPredicate, error.message)
            }
            throw .engine(error)
        }
    }

    private func options(_ query: Query) throws(Stop) -> FetchRequestOptions {
        var options = query.options(try predicate(query.predicate, of: query.entity.value))
        set(&options, query)
        return options
    }

    /// Sets the request's options other than predicate, order and limit, unless the quirk ignores
    /// them.
    private func set(_ options: inout FetchRequestOptions, _ query: Query) {
        let isChild = context.plan.parent != nil
        let quirk = world.plan.quirk
        options.fetchOffset = query.offset ?? 0
        if !(isChild && quirk == .childIgnoresBatch) {
            options.fetchBatchSize = query.batch ?? 0
        }
        if !query.prefetch.isEmpty, !(isChild && quirk == .childIgnoresPrefetch) {
            options.relationshipKeyPathsForPrefetching = query.prefetch.map(\.value)
        }
        options.shouldRefreshRefetchedObjects =
            query.flags.contains(.refreshing) && quirk != .refetchKeepsValues
        if query.flags.contains(.realised) { options.returnsObjectsAsFaults = false }
        if query.flags.contains(.withoutPending) { options.includesPendingChanges = false }
        if query.flags.contains(.withoutSubentities) { options.includesSubentities = false }
    }

    /// - Parameter entity: the entity of the request with the predicate.
    func predicate(_ text: PredicateText?, of entity: String) throws(Stop) -> NSPredicate? {
        guard let text else { return nil }
        let parsed: NSPredicate
        do throws(PredicateFormatError) {
            parsed = try world.predicates.predicate(text)
        } catch {
            throw .misuse(.badPredicate, "the predicate '\(text.format)' does not parse: \(error)")
        }
        if text.variables.isEmpty { return parsed }
        var variables: [String: Any] = [:]
        for variable in text.variables {
            let value = try Evaluation(runner: self).variable(variable.value, in: text)
            variables[variable.value] =
                world.plan.quirk == .inIgnoresEntity && text.comparesSelf(with: variable.value)
                ? sameKeys(value, of: entity) : value
        }
        return parsed.withSubstitutionVariables(variables)
    }

    /// The objects of a name, as operands of a predicate. If an object belongs to another table, an
    /// ID of `entity` with the same key is added.
    private func sameKeys(_ objects: Any, of entity: String) -> Any {
        guard let objects = objects as? [NSManagedObject],
            let entity = world.layout.entity(named: entity),
            let coordinator = world.store.coordinators[context.plan.coordinator]
        else { return objects }
        let others = objects.filter {
            !$0.objectKey.isTemporary && $0.layout.rootIndex != entity.rootIndex
        }
        return objects as [Any]
            + others.map { object -> Any in
                LabWorld.id(
                    of: ObjectKey(entity: entity.index, key: object.objectKey.key),
                    on: coordinator)
            }
    }

    private func note(_ query: Query, found: [ObjectName], count: Int) {
        guard let entity = world.layout.entity(named: query.entity.value) else { return }
        let text = query.predicate.map { "\(entity.name) where \($0.format)" } ?? entity.name
        world.recorder.record(
            .looked(entity: entity.index, query: text, found: found, count: count))
    }

    func read(_ path: ObjectPath, _ name: String?) throws(Stop) -> String {
        let reading = try Evaluation(runner: self).read(path)
        bind(name, .value(reading.value, reading.basis), reading.value)
        return reading.value.quoted + (reading.version > 0 ? " at version \(reading.version)" : "")
    }
}

/// Computes the values of operands, and remembers the reads from which they are computed.
struct Evaluation {
    let runner: StepRunner

    struct Reading {
        let value: ObservedValue
        let basis: WriteBasis
        /// The version is 0 if the object has no row.
        let version: Int
    }

    func value(of operand: StepValue) throws(StepRunner.Stop) -> (ObservedValue, WriteBasis) {
        switch operand {
        case .literal(let literal): return (LiteralCoding.observed(literal.value), .given)
        case .parameter(let name):
            let value = runner.world.plan.cell[name.value]?.value ?? .null
            return (LiteralCoding.observed(value), .given)
        case .reference(let reference):
            guard case .value(let value, let basis) = runner.context.bindings[reference.name.value]
            else { throw .missing(reference.name.value) }
            return (value, basis)
        case .path(let path):
            let reading = try read(path)
            return (reading.value, reading.basis)
        case .sum(let left, let right): return try combine(left, right, .sum)
        case .difference(let left, let right): return try combine(left, right, .difference)
        case .product(let left, let right): return try combine(left, right, .product)
        }
    }

    private enum Combination {
        case sum, difference, product

        func callAsFunction(_ a: Int64, _ b: Int64) -> (partialValue: Int64, overflow: Bool) {
            switch self {
            case .sum: a.addingReportingOverflow(b)
            case .difference: a.subtractingReportingOverflow(b)
            case .product: a.multipliedReportingOverflow(by: b)
            }
        }

        func callAsFunction(_ a: Double, _ b: Double) -> Double {
            switch self {
            case .sum: a + b
            case .difference: a - b
            case .product: a * b
            }
        }
    }

    private func combine(
        _ left: StepValue, _ right: StepValue, _ combine: Combination
    ) throws(StepRunner.Stop) -> (ObservedValue, WriteBasis) {
        let (one, basis) = try value(of: left)
        let (other, otherBasis) = try value(of: right)
        let combined: ObservedValue
        switch (one, other) {
        case (.integer(let a), .integer(let b)):
            let (value, overflow) = combine(a, b)
            if overflow { throw .engine(CoreDataError(.invalidArgument, "the sum is too large")) }
            combined = .integer(value)
        case (.text(let a), .text(let b)) where combine == .sum: combined = .text(a + b)
        default:
            guard let a = number(one), let b = number(other) else {
                let verbs = combine == .product ? "multiplied" : "added or subtracted"
                throw .engine(
                    CoreDataError(
                        .invalidArgument,
                        "\(one.quoted) and \(other.quoted) cannot be \(verbs)"))
            }
            combined = .number(combine(a, b))
        }
        return (combined, basis + otherBasis)
    }

    private func number(_ value: ObservedValue) -> Double? {
        switch value {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    func read(_ path: ObjectPath) throws(StepRunner.Stop) -> Reading {
        var object = try runner.object(path.object)
        for key in path.keys.dropLast() {
            guard let next = try runner.readProperty(key.value, of: object) as? NSManagedObject
            else {
                return Reading(value: .null, basis: .given, version: 0)
            }
            object = next
        }
        let key = path.keys.last?.value ?? ""
        let value = try read(key, of: object)
        let version = object.cells.map { Int(RowFormat.version($0)) } ?? 0
        let name = runner.world.name(object.objectKey)
        runner.world.recorder.record(.read(name, key: key, value: value, version: version))
        return Reading(
            value: value, basis: .computed(from: [.init(name, key, value, version: version)]),
            version: version)
    }

    private func read(
        _ key: String, of object: NSManagedObject
    ) throws(StepRunner.Stop) -> ObservedValue {
        if object.layout.toManySlot(named: key) != nil {
            let members = try runner.engine { () throws(CoreDataError) in
                try Relating.members(of: object, key)
            }
            return .integer(Int64(members.count))
        }
        guard let slot = object.layout.valueSlot(named: key) else {
            _ = try runner.readProperty(key, of: object)
            return .null
        }
        let kind = object.layout.values[slot].kind
        if kind == .toOne {
            guard let other = try runner.readProperty(key, of: object) as? NSManagedObject else {
                return .null
            }
            return .object(runner.world.alias(other.objectKey))
        }
        return try runner.engine { () throws(CoreDataError) in
            LiteralCoding.observed(
                try object.value(at: slot), kind: kind, name: runner.world.alias)
        }
    }

    /// The value of `$name` in a predicate: an object, a value that was read, or a parameter. After
    /// `IN`, all objects of the name.
    func variable(_ name: String, in text: PredicateText) throws(StepRunner.Stop) -> Any {
        if let constant = text.constants[name] {
            return Self.foundation(LiteralCoding.observed(constant))
        }
        if text.collections.contains(name) { return try collection(name) }
        if let parameter = runner.world.plan.cell[name] {
            return Self.foundation(LiteralCoding.observed(parameter.value))
        }
        if case .value(let value, _) = runner.context.bindings[name] {
            return Self.foundation(value)
        }
        return try runner.object(ObjectReference(name: Located(name)))
    }

    private func collection(_ name: String) throws(StepRunner.Stop) -> [Any] {
        switch runner.context.bindings[name] {
        case .objects(let objects): return objects
        case .value(.list(let list), _): return list.map(Self.foundation)
        case .value(let value, _): return [Self.foundation(value)]
        case .object, nil: break
        }
        if let parameter = runner.world.plan.cell[name] {
            return [Self.foundation(LiteralCoding.observed(parameter.value))]
        }
        return [try runner.object(ObjectReference(name: Located(name)))]
    }

    static func foundation(_ value: ObservedValue) -> Any {
        switch value {
        case .flag(let flag): NSNumber(value: flag)
        case .integer(let integer): NSNumber(value: integer)
        case .number(let number): NSNumber(value: number)
        case .text(let text): text
        default: NSNull()
        }
    }
}
