import CoreDataTrace
import Foundation

extension NSManagedObjectModel {
    /// Combines several models into one; nil if two different entities have the same name.
    ///
    /// - Parameter models: the models to copy from; nil means none.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        do throws(ModelError) {
            let merged = try Self.merge(models ?? [])
            self.init()
            adopt(merged)
        } catch {
            let reasons = error.findings.map(\.description).joined(separator: " ")
            EngineLog.error("the models cannot be merged: \(reasons)")
            return nil
        }
    }

    /// Combines the entities whose hashes are in a store's metadata into one model; nil if one of
    /// the entities is missing.
    ///
    /// The hashes may also be those that the compiler of a `.momd` has recorded.
    public convenience init?(
        byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
    ) {
        guard let hashes = metadata[VersionDigest.hashesKey] as? [String: Any],
            let merged = try? Self.merge(
                models,
                where: { entity in
                    let name = entity.name ?? ""
                    guard let wanted = hashes[name] as? Data else { return false }
                    return wanted == entity.versionHash
                        || wanted == entity.ownerModel?.compiledHashes[name]
                }),
            merged.entities.count == hashes.count
        else { return nil }
        self.init()
        adopt(merged)
    }

    /// Reads a model file. Returns nil if it cannot be read, and logs the reason with the file,
    /// entity and property.
    ///
    /// `NSManagedObjectModel.loaded(from:)` throws instead.
    public convenience init?(contentsOf url: URL) {
        do throws(ModelError) {
            let loaded = try Self.load(contentsOf: url)
            self.init()
            adopt(loaded)
        } catch {
            let reasons = error.findings.map(\.description).joined(separator: " ")
            EngineLog.error("the model at \(url.path) cannot be loaded: \(reasons)")
            return nil
        }
    }

    /// Moves the contents of another model to this model. No other code may refer to the other
    /// model.
    func adopt(_ other: NSManagedObjectModel) {
        let configurations = other.configurations.map {
            ($0, other.entities(forConfigurationName: $0) ?? [])
        }
        entities = other.entities
        for (name, members) in configurations { setEntities(members, forConfigurationName: name) }
        versionIdentifiers = other.versionIdentifiers
        localizationDictionary = other.localizationDictionary
        fetchRequestSources = other.fetchRequestSources
        versionsFolder = other.versionsFolder
        versionName = other.versionName
        knownVersions = other.knownVersions
        compiledHashes = other.compiledHashes
        classModules = other.classModules
        fetchRequests = other.fetchRequests
    }

    /// Copies the entities of several models into one.
    ///
    /// Entities with the same name and the same hash become one entity.
    ///
    /// - Parameter isWanted: whether an entity is copied.
    /// - Throws: an error with all names that two different entities share.
    package static func merge(
        _ models: [NSManagedObjectModel],
        where isWanted: (NSEntityDescription) -> Bool = { _ in true }
    ) throws(ModelError) -> NSManagedObjectModel {
        let merged = NSManagedObjectModel()
        var kept: [String: NSEntityDescription] = [:]
        var order: [NSEntityDescription] = []
        var findings: [ModelError.Finding] = []
        for copy in models.map({ $0.makeCopy() }) {
            for entity in copy.entities where isWanted(entity) {
                let name = entity.name ?? ""
                if let other = kept[name] {
                    guard other.versionHash != entity.versionHash else { continue }
                    findings.append(
                        ModelError.Finding(
                            .mergeConflict, entity: name,
                            "the models have two different entities of this name; rename one."))
                } else {
                    kept[name] = entity
                    order.append(entity)
                }
            }
            merged.takeRest(of: copy)
        }
        guard findings.isEmpty else { throw ModelError(findings) }
        relink(order, kept)
        if models.count == 1 {
            merged.versionsFolder = models[0].versionsFolder
            merged.versionName = models[0].versionName
        }
        merged.knownVersions = models.flatMap(\.knownVersions)
        let modules = models.compactMap(\.classModules)
        // The classes of a model that was created in code may be in any module. So if one model was
        // created in code, the merged model searches every module.
        if modules.count == models.count { merged.classModules = modules.flatMap { $0 } }
        for model in models { merged.compiledHashes.merge(model.compiledHashes) { $1 } }
        let configurations = models.flatMap(\.configurations)
        merged.entities = order
        for name in Set(configurations) {
            let members = models.flatMap { $0.entities(forConfigurationName: name) ?? [] }
            let names = Set(members.compactMap(\.name))
            merged.setEntities(
                order.filter { names.contains($0.name ?? "") }, forConfigurationName: name)
        }
        return merged
    }

    private func takeRest(of other: NSManagedObjectModel) {
        versionIdentifiers.formUnion(other.versionIdentifiers)
        fetchRequestSources.merge(other.fetchRequestSources) { first, _ in first }
        fetchRequests.merge(other.fetchRequests) { first, _ in first }
        if let texts = other.localizationDictionary {
            localizationDictionary = (localizationDictionary ?? [:])
                .merging(texts) { first, _ in first }
        }
    }

    /// Lets relationships and subentities refer to the copies of their entities. Removes references
    /// to entities that were left out.
    private static func relink(
        _ entities: [NSEntityDescription], _ kept: [String: NSEntityDescription]
    ) {
        let parents = entities.map { $0.superentity?.name }
        var children: [String: [NSEntityDescription]] = [:]
        for (entity, parent) in zip(entities, parents) {
            if let parent { children[parent, default: []].append(entity) }
        }
        for entity in entities { entity.subentities = children[entity.name ?? ""] ?? [] }
        for entity in entities {
            for case let relationship as NSRelationshipDescription in entity.ownProperties {
                let inverse = relationship.inverseRelationship?.name
                relationship.destinationEntity =
                    relationship.destinationEntity?.name.flatMap { kept[$0] }
                relationship.inverseRelationship = inverse.flatMap {
                    relationship.destinationEntity?.relationshipsByName[$0]
                }
            }
        }
    }
}
