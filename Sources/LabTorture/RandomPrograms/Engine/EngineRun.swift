import CoreData

/// The state that is observed after the engine has executed one step of a program.
struct ProgramSight: Hashable, Sendable {
    var answer = ""
    var inserted = 0
    var deleted = 0
    /// Observations that the documentation does not specify. They must be equal in all stores.
    var rest = ""
    /// The objects that the results controller lists, and in `found` the objects that its fetch
    /// request returns.
    var watched: String?
    var found: String?
}

/// Executes the steps of a program in one store.
struct EngineRun {
    private let store: ProgramStore
    private let folder: String
    private let model: NSManagedObjectModel
    private let contexts: ProgramContexts
    private let watch: ProgramWatch?

    init(
        _ program: RandomProgram, _ store: ProgramStore, _ folder: String,
        _ model: NSManagedObjectModel
    ) throws {
        self.store = store
        self.folder = folder
        self.model = model
        store.clear(folder)
        contexts = ProgramContexts(program, try store.open(folder, model))
        watch = program.watched.map(ProgramWatch.init)
        try watch?.start(contexts.context)
    }

    /// Executes a step and returns the observations. If the step fails, the error becomes its
    /// answer.
    func perform(_ move: ProgramMove) -> ProgramSight {
        var sight = ProgramSight()
        do {
            sight.answer = try answer(move)
        } catch {
            sight.answer = Self.text(error)
        }
        let context = contexts.context
        context.performAndWait {
            sight.inserted = context.insertedObjects.count
            sight.deleted = context.deletedObjects.count
            sight.rest =
                "\(context.updatedObjects.count) updated"
                + (context.hasChanges ? ", changes" : "")
                + (context.undoManager?.canUndo == true ? ", undo" : "")
        }
        guard let watch, contexts.depth == 1 else { return sight }
        context.performAndWait {
            sight.watched = watch.listed
            sight.found = watch.found
        }
        return sight
    }

    private static func text(_ error: any Error) -> String {
        let error = error as NSError
        let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
        guard !details.isEmpty else {
            return error.code < 1550 || error.code > 1700
                ? "error \(error.code) \(error.localizedDescription)" : "error \(error.code)"
        }
        let codes = details.map(\.code).sorted().map(String.init)
        return "error \(error.code): \(codes.joined(separator: " "))"
    }

    private func answer(_ move: ProgramMove) throws -> String {
        let context = contexts.context
        switch move.step {
        case .insert, .set, .lead, .add, .remove, .replace, .move:
            change { edit(move.step, in: context) }
        case .delete(let number):
            change { if let object = contexts.object(number) { context.delete(object) } }
            guard move.isDenied else { return "" }
            defer { context.performAndWait { context.rollback() } }
            try context.performAndWait { try context.save() }
        case .undo: context.performAndWait { context.undo() }
        case .redo: context.performAndWait { context.redo() }
        case .save: try save(context)
        case .rollback: context.performAndWait { context.rollback() }
        case .reset:
            context.performAndWait { context.reset() }
            contexts.dropObjects()
            if contexts.depth == 1 { try watch?.fetch() }
        case .refresh(let number, let merging):
            context.performAndWait {
                guard let object = contexts.object(number) else { return }
                context.refresh(object, mergeChanges: merging)
            }
        case .refreshAll: context.performAndWait { context.refreshAllObjects() }
        case .forget: contexts.forget()
        case .obtainIDs:
            try context.performAndWait {
                contexts.meetInserted()
                try context.obtainPermanentIDs(for: Array(context.insertedObjects))
                contexts.noteIDs()
            }
        case .fetch(let query):
            return try context.performAndWait { try fetch(query, in: context) }
        case .look: return try context.performAndWait { try look(in: context) }
        case .readInNewContext: return try readInNewContext()
        case .openChild: contexts.openChild()
        case .closeChild: contexts.closeChild()
        case .batchUpdate, .batchDelete, .batchInsert: return try batch(move.step, context)
        case .reopen:
            contexts.reopen(try reopened())
            try watch?.start(contexts.context)
        }
        return ""
    }

    // MARK: Changes

    /// Makes a change that one undo reverts.
    private func change(_ body: () -> Void) {
        let context = contexts.context
        context.performAndWait {
            context.processPendingChanges()
            context.undoManager?.beginUndoGrouping()
            body()
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
        }
    }

    private func edit(_ step: ProgramStep, in context: NSManagedObjectContext) {
        switch step {
        case .insert(let kind, let number, let values):
            let object = Self.insert(kind, number, values, in: context)
            contexts.note(object, number)
        case .set(let number, let attribute, let value):
            contexts.object(number)?.setValue(value?.object, forKey: attribute.rawValue)
        case .lead(let number, let link, let other):
            contexts.object(number)?.setValue(other.flatMap(contexts.object), forKey: link.name)
        case .add, .remove, .replace, .move: editMembers(step)
        default: break
        }
    }

    private static func insert(
        _ kind: ProgramKind, _ number: Int, _ values: [ProgramAttribute: ProgramValue],
        in context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: kind.entity, into: context)
        object.setValue(NSNumber(value: number), forKey: ProgramModel.number)
        for (attribute, value) in values {
            object.setValue(value.object, forKey: attribute.rawValue)
        }
        return object
    }

    private func editMembers(_ step: ProgramStep) {
        switch step {
        case .add(let number, let link, let other, let index):
            guard let object = contexts.object(number), let member = contexts.object(other) else {
                return
            }
            guard isOrdered(object, link) else {
                return object.mutableSetValue(forKey: link.name).add(member)
            }
            let list = object.mutableOrderedSetValue(forKey: link.name)
            if let index, index <= list.count {
                list.insert(member, at: index)
            } else {
                list.add(member)
            }
        case .remove(let number, let link, let other):
            guard let object = contexts.object(number), let member = contexts.object(other) else {
                return
            }
            if isOrdered(object, link) {
                object.mutableOrderedSetValue(forKey: link.name).remove(member)
            } else {
                object.mutableSetValue(forKey: link.name).remove(member)
            }
        case .replace(let number, let link, let others):
            guard let object = contexts.object(number) else { return }
            let members = others.compactMap(contexts.object)
            let isOrdered = isOrdered(object, link)
            object.setValue(
                isOrdered ? NSOrderedSet(array: members) : NSSet(array: members),
                forKey: link.name)
        case .move(let number, let link, let from, let to):
            contexts.object(number)?.mutableOrderedSetValue(forKey: link.name)
                .moveObjects(at: IndexSet(integer: from), to: to)
        default: break
        }
    }

    private func isOrdered(_ object: NSManagedObject, _ link: ProgramLink) -> Bool {
        object.entity.relationshipsByName[link.name]?.isOrdered ?? false
    }

    private func save(_ context: NSManagedObjectContext) throws {
        // The changes that the child saves are registered with the parent's undo manager.
        let parent = context.parent
        parent?.performAndWait { parent?.undoManager?.beginUndoGrouping() }
        defer {
            parent?.performAndWait {
                parent?.processPendingChanges()
                parent?.undoManager?.endUndoGrouping()
            }
        }
        try context.performAndWait {
            contexts.meetInserted()
            try context.save()
            contexts.noteIDs()
        }
        contexts.forgetUndo(above: contexts.depth > 1)
    }

    private func reopened() throws -> NSPersistentStoreCoordinator {
        store.hasFile ? try store.open(folder, model) : contexts.coordinator
    }

    // MARK: Reading

    private func fetch(
        _ query: ProgramQuery, in context: NSManagedObjectContext
    ) throws -> String {
        switch query.form {
        case .objects:
            let request: NSFetchRequest<NSManagedObject> = query.request(contexts.object)
            return Self.list(try context.fetch(request), query)
        case .ids:
            let request: NSFetchRequest<NSManagedObjectID> = query.request(contexts.object)
            request.resultType = .managedObjectIDResultType
            return Self.list(try context.fetch(request).map { context.object(with: $0) }, query)
        case .count:
            let request: NSFetchRequest<NSManagedObject> = query.request(contexts.object)
            return "\(try context.count(for: request))"
        case .values(let attributes):
            let request: NSFetchRequest<NSDictionary> = query.request(contexts.object)
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [ProgramModel.number] + attributes.map(\.rawValue)
            return try context.fetch(request).map { row in
                let values = attributes.map {
                    ProgramValue(row[$0.rawValue], $0.form)?.text ?? "nil"
                }
                return ([Self.text(row[ProgramModel.number])] + values).joined(separator: " ")
            }.joined(separator: "\n")
        case .totals(let key, let attribute):
            let request: NSFetchRequest<NSDictionary> = query.request(contexts.object)
            return try Self.totals(request, key, attribute, in: context)
        }
    }

    private static func text(_ value: Any?) -> String { (value as? NSNumber)?.stringValue ?? "nil" }

    private static func list(_ objects: [NSManagedObject], _ query: ProgramQuery) -> String {
        var numbers = objects.map { number(of: $0) }
        if !query.hasOrder { numbers.sort() }
        return numbers.map { "#\($0)" }.joined(separator: " ")
    }

    private static func number(of object: NSManagedObject) -> Int {
        ProgramContexts.number(of: object) ?? 0
    }

    private static func totals(
        _ request: NSFetchRequest<NSDictionary>, _ key: ProgramAttribute,
        _ attribute: ProgramAttribute, in context: NSManagedObjectContext
    ) throws -> String {
        let names = ["count", "sum", "min", "max"]
        let expressions = names.map { name in
            let made = NSExpressionDescription()
            made.name = name
            made.expression = NSExpression(format: "\(name):(\(attribute))")
            made.expressionResultType =
                name == "count" ? .integer64AttributeType : .doubleAttributeType
            return made
        }
        request.resultType = .dictionaryResultType
        request.sortDescriptors = nil
        request.propertiesToFetch = [key.rawValue as Any] + expressions
        request.propertiesToGroupBy = [key.rawValue]
        return try context.fetch(request).map { row in
            let numbers = names.map { (row[$0] as? NSNumber)?.doubleValue }
            return ProgramTotals(
                key: ProgramValue(row[key.rawValue], key.form)?.text ?? "nil",
                count: numbers[0].map { Int($0) } ?? -1, sum: numbers[1], least: numbers[2],
                most: numbers[3]
            ).text
        }.sorted().joined(separator: "\n")
    }

    /// All objects with their values and links, as text.
    private func look(in context: NSManagedObjectContext) throws -> String {
        var lines: [(Int, String)] = []
        for kind in ProgramKind.allCases {
            let request = NSFetchRequest<NSManagedObject>(entityName: kind.entity)
            request.includesSubentities = false
            for object in try context.fetch(request) {
                let number = Self.number(of: object)
                let isChanged = !object.isInserted && object.hasPersistentChangedValues
                lines.append(
                    (number, Self.node(kind, object).text(number, isChanged: isChanged)))
            }
        }
        return lines.sorted { $0.0 < $1.0 }.map(\.1).joined(separator: "\n")
    }

    private static func node(_ kind: ProgramKind, _ object: NSManagedObject) -> ProgramGraph.Node {
        var node = ProgramGraph.Node(kind: kind, values: [:])
        for attribute in kind.attributes {
            let value = object.value(forKey: attribute.rawValue)
            node.values[attribute] = ProgramValue(value, attribute.form)
        }
        for link in kind.links {
            switch object.value(forKey: link.name) {
            case let end as NSManagedObject: node.links[link] = [number(of: end)]
            case let list as NSOrderedSet:
                node.links[link] = list.compactMap { ($0 as? NSManagedObject).map(number) }
            case let set as Set<NSManagedObject>: node.links[link] = set.map(number).sorted()
            default: break
            }
        }
        return node
    }

    private func readInNewContext() throws -> String {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = contexts.coordinator
        return try context.performAndWait { try look(in: context) }
    }

    // MARK: Batch requests

    private func batch(_ step: ProgramStep, _ context: NSManagedObjectContext) throws -> String {
        let answer = try context.performAndWait {
            context.undoManager?.disableUndoRegistration()
            defer { context.undoManager?.enableUndoRegistration() }
            let batch = ProgramBatch(context: context, object: contexts.object)
            let answer = try store == .sqlite ? batch.request(step) : batch.byObjects(step)
            context.reset()
            return answer
        }
        contexts.dropObjects()
        contexts.forgetUndo(above: false)
        try watch?.fetch()
        return answer
    }
}
