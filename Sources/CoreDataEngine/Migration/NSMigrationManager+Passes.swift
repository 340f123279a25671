import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Runs the passes of a migration.
extension NSMigrationManager {
    /// Runs the passes. If they fail, removes the destination's files, unless they existed before.
    final func migrate(
        from source: MigrationStacks.Place, with mappings: NSMappingModel?,
        to destination: MigrationStacks.Place
    ) throws {
        guard let mappings else {
            throw CoreDataError(
                .migrationMissingMappingModel,
                "A migration needs a mapping model. Create one, or infer one with"
                    + " NSMappingModel.inferredMappingModel(forSourceModel:destinationModel:)."
            ).nsError
        }
        let existed = FileManager.default.fileExists(atPath: destination.url.path)
        do { try migrate(source, mappings, destination) } catch {
            if !existed { Self.removeStore(destination.url) }
            throw error
        }
    }

    final func place(
        _ url: URL, _ type: String, _ options: [AnyHashable: Any]?
    ) -> MigrationStacks.Place {
        MigrationStacks.Place(
            url: url, type: type, options: options ?? [:], configuration: configuration)
    }

    static func removeStore(_ url: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }

    private func migrate(
        _ source: MigrationStacks.Place, _ mapping: NSMappingModel,
        _ destination: MigrationStacks.Place
    ) throws {
        let stacks = try bridgingErrors { () throws(CoreDataError) in
            try MigrationStacks(
                sourceModel: sourceModel, source, destinationModel: destinationModel, destination,
                inherited: inheritedMetadata)
        }
        start(stacks, mapping)
        defer {
            finish()
            stacks.close()
        }
        try stacks.source.performAndWait {
            try stacks.destination.performAndWait {
                try runPasses(mapping)
                rowsWritten = stacks.destination.insertedObjects.count
                try stacks.destination.save()
            }
        }
    }

    // MARK: Passes

    private func runPasses(_ mapping: NSMappingModel) throws {
        let works = try bridgingErrors { () throws(CoreDataError) in
            try mapping.entityMappings.map { entity throws(CoreDataError) in
                try MigrationWork(entity)
            }
        }
        let passes: [(MigrationWork, (Float) -> Void) throws -> Void] = [
            createInstances, createRelationships, validate,
        ]
        let total = Float(max(1, works.count * passes.count))
        for (number, pass) in passes.enumerated() {
            for (place, work) in works.enumerated() {
                let done = Float(number * works.count + place)
                let report = { (part: Float) in
                    self.note(work.mapping, progress: (done + part) / total)
                }
                report(0)
                try checkCancellation()
                try pass(work, report)
            }
        }
        try checkCancellation()
    }

    private func createInstances(_ work: MigrationWork, _ report: (Float) -> Void) throws {
        try work.policy.begin(work.mapping, with: self)
        try each(try sourceInstances(work), report) { object in
            try work.policy.createDestinationInstances(
                forSource: object, in: work.mapping, manager: self)
        }
        try work.policy.endInstanceCreation(forMapping: work.mapping, manager: self)
    }

    private func createRelationships(_ work: MigrationWork, _ report: (Float) -> Void) throws {
        let objects = destinationInstances(
            forEntityMappingName: work.mapping.name, sourceInstances: nil)
        try each(objects, report) { object in
            try work.policy.createRelationships(
                forDestination: object, in: work.mapping, manager: self)
        }
        try work.policy.endRelationshipCreation(forMapping: work.mapping, manager: self)
    }

    private func each(
        _ objects: [NSManagedObject], _ report: (Float) -> Void,
        _ body: (NSManagedObject) throws -> Void
    ) throws {
        for (place, object) in objects.enumerated() {
            try checkCancellation()
            try body(object)
            report(Float(place + 1) / Float(objects.count))
        }
    }

    private func validate(_ work: MigrationWork, _ report: (Float) -> Void) throws {
        try work.policy.performCustomValidation(forMapping: work.mapping, manager: self)
        try work.policy.end(work.mapping, manager: self)
        report(1)
    }

    private func sourceInstances(_ work: MigrationWork) throws -> [NSManagedObject] {
        let kind = work.mapping.mappingType
        guard kind != .removeEntityMappingType, kind != .addEntityMappingType else { return [] }
        guard let expression = work.mapping.sourceExpression else {
            guard let entity = sourceEntity(for: work.mapping), let name = entity.name else {
                return []
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.includesSubentities = false
            return try sourceContext.fetch(request)
        }
        let value = try value(of: expression, nil, in: work.mapping, policy: work.policy)
        if let request = value as? NSFetchRequest<NSManagedObject> {
            return try sourceContext.fetch(request)
        }
        return MappedMembers.objects(value)
    }
}

/// One entity mapping with its policy.
struct MigrationWork {
    let mapping: NSEntityMapping
    let policy: NSEntityMigrationPolicy

    /// Creates the policy.
    ///
    /// - Throws: 134170 for a class that does not exist or is not a policy.
    init(_ mapping: NSEntityMapping) throws(CoreDataError) {
        self.mapping = mapping
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else {
            policy = NSEntityMigrationPolicy()
            return
        }
        guard let found = Self.policyClass(name) else {
            throw CoreDataError(
                .entityMigrationPolicy,
                "The policy class '\(name)' of the mapping '\(mapping.name ?? "")' does not exist."
                    + " Write its name as Module.Class, and derive it from"
                    + " NSEntityMigrationPolicy.")
        }
        policy = found.init()
    }

    private static func policyClass(_ name: String) -> NSEntityMigrationPolicy.Type? {
        NamedClasses.find(name, as: NSEntityMigrationPolicy.Type.self)
    }
}
