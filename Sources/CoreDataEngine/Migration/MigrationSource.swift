import CoreDataModel
import CoreDataStore
import Foundation

/// The version of the model from which a migration starts.
struct MigrationSource {
    let binding: ModelBinding
    /// The name of the version, and the reason for choosing it.
    let text: String
    let isCache: Bool

    var model: NSManagedObjectModel { binding.model }
}

/// Finds the version of the model with which a store was created.
///
/// The versions in the program are tried first. If none matches, the model in the store's cache is
/// used, but only if the migration keeps all of its properties. Otherwise an older program could
/// open a newer store and drop data.
struct SourceSearch {
    let destination: ModelBinding
    let configuration: String?
    let path: String

    /// - Throws: 134130 if the program does not have the version.
    func source(
        of inspection: StoreInspection
    ) throws(CoreDataError) -> MigrationSource {
        let hashes = inspection.metadata[VersionDigest.hashesKey] as? [String: Data] ?? [:]
        if let found = try version(hashes) { return found }
        guard let cached = inspection.cachedModel else {
            if let found = try versionOfTables(inspection) { return found }
            throw missing(inspection, inspection.cacheFailure ?? "the store carries no model")
        }
        // The cached model has no renaming identifiers. A version in the program with the same
        // hashes is therefore better.
        if let found = try version(cached.entityVersionHashesByName) { return found }
        let binding = try ModelBinding.of(cached)
        let inference = MappingInference(source: binding, destination: destination)
        let losses = inference.losses(in: configuration)
        guard losses.isEmpty else {
            throw missing(
                inspection,
                "the program does not have it, and the store has data that the new model does not"
                    + " know: \(losses.joined(separator: ", "))")
        }
        return MigrationSource(
            binding: binding,
            text: "\(cached.versionLabel) in the store's cache, because the program does not have"
                + " it and keeps all of its data", isCache: true)
    }

    /// The newest version whose tables match the store. Used if another framework wrote the store's
    /// hashes and the store contains no model.
    private func versionOfTables(
        _ inspection: StoreInspection
    ) throws(CoreDataError) -> MigrationSource? {
        guard inspection.isForeign, !inspection.carriesModel else { return nil }
        for model in places.models {
            guard let binding = try? ModelBinding.of(model), inspection.fits(binding.layout) else {
                continue
            }
            return MigrationSource(
                binding: binding,
                text: "\(model.versionLabel), because its tables are those of the store",
                isCache: false)
        }
        return nil
    }

    private var places: VersionPlaces {
        VersionPlaces(beside: destination.model, bundles: [Bundle.main] + Bundle.allBundles)
    }

    private func version(_ hashes: [String: Data]) throws(CoreDataError) -> MigrationSource? {
        let search = VersionSearch(hashes: hashes, configuration: configuration)
        guard let found = search.version(in: places) else { return nil }
        return MigrationSource(
            binding: try ModelBinding.of(found.model),
            text: "\(found.model.versionLabel), because \(found.fit.reason)", isCache: false)
    }

    private func missing(_ inspection: StoreInspection, _ why: String) -> CoreDataError {
        let reason = "Persistent store migration failed, missing source managed object model."
        return CoreDataError(
            .migrationMissingSourceModel,
            "\(reason) The source cannot be found: \(why). Add the model with which the store was"
                + " created to the bundle.",
            info: ["reason": reason, "NSFilePath": path],
            payload: CoreDataError.Payload(userInfo: ["metadata": inspection.metadata]))
    }
}

extension MappingInference {
    /// The data that the store would lose: entities with their rows, and stored properties.
    func losses(in configuration: String?) -> [String] {
        let members = source.model.entities(forConfigurationName: configuration)
        let names = (members ?? source.model.entities).compactMap(\.name)
        var losses: [String] = []
        for name in names.sorted() {
            guard let entity = source.layout.entity(named: name), !entity.isAbstract else {
                continue
            }
            losses += self.losses(of: entity).filter { !losses.contains($0) }
        }
        return losses
    }

    private func losses(of entity: EntityLayout) -> [String] {
        guard let index = destinationIndex(of: entity.index) else { return [entity.name] }
        let kept = destination.description(at: index).properties.filter(\.keepsValues)
            .compactMap { sourceProperty(of: $0, in: index)?.name }
        let lost = source.description(at: entity.index).properties.filter {
            $0.keepsValues && !kept.contains($0.name)
        }
        return lost.map { "\($0.entity.name ?? "").\($0.name)" }.sorted()
    }
}

extension NSPropertyDescription {
    /// Whether a store contains values of the property that cannot be derived from other
    /// properties.
    fileprivate var keepsValues: Bool {
        !isTransient && !(self is NSFetchedPropertyDescription)
            && !(self is NSDerivedAttributeDescription)
    }
}
