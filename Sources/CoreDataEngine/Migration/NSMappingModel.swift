import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace

/// Describes how the objects of one model become objects of another: a list of entity mappings.
///
/// Only one thread may use a mapping model at a time. It must not be changed while a migration
/// runs.
open class NSMappingModel: NSObject {
    private var mappings: [NSEntityMapping] = []

    /// Creates a model without entity mappings.
    public override init() { super.init() }

    /// Whether the other model has equal entity mappings in the same order.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSMappingModel)?.entityMappings == entityMappings
    }

    open override var hash: Int { entityMappings.count }

    /// Reads a compiled mapping model (`.cdm`), or the `.xcmappingmodel` of Xcode's editor. Returns
    /// nil and writes a line to the log if the file does not exist or cannot be read.
    public convenience init?(contentsOf url: URL?) {
        guard let url else { return nil }
        do throws(CoreDataError) {
            let read = try Self.read(url)
            self.init()
            mappings = read
        } catch {
            EngineLog.error(error.message)
            return nil
        }
    }

    /// The entity mappings of a `.cdm` or `.xcmappingmodel` file.
    ///
    /// - Throws: 256 for a file that cannot be read, 259 for a file that is not a mapping model.
    package static func read(_ url: URL) throws(CoreDataError) -> [NSEntityMapping] {
        // The package plugin copies the editor's file under the name of the compiled file.
        isSource(url) ? try MappingModelSource.read(url) : try MappingModelFile.read(url)
    }

    private static func isSource(_ url: URL) -> Bool {
        if url.pathExtension == "xcmappingmodel" { return true }
        return (try? FileHandle(forReadingFrom: url).read(upToCount: 1)) == Data("<".utf8)
    }

    /// Whether this engine, and not Xcode, computed the hashes in the file.
    private static func hasOwnHashes(_ url: URL) -> Bool {
        isSource(url) || MappingModelFile.hasOwnHashes(url)
    }

    /// The bytes of a `.cdm` with the entity mappings.
    ///
    /// - Throws: 134060 for an expression that cannot be archived.
    package func compiledData() throws(CoreDataError) -> Data {
        try MappingModelArchiver.archive(mappings)
    }

    /// Searches bundles for the mapping model between two models.
    ///
    /// A mapping model fits if its entities and properties are those of the two models. Its hashes
    /// are compared only if this engine has computed them, because Xcode's hashes cannot be
    /// computed (DEVIATIONS.md, D-001).
    ///
    /// - Parameter bundles: nil for the main bundle. If the main bundle has no mapping model, as in
    ///   a package, the resource bundles next to the program are also searched.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel else { return nil }
        for url in NSManagedObjectModel.files(["cdm"], in: bundles) {
            guard let found = Self.reading(url, from: sourceModel, to: destinationModel) else {
                continue
            }
            self.init()
            mappings = found.mappings
            return
        }
        return nil
    }

    /// The mapping model in a `.cdm` or `.xcmappingmodel` file, if it maps one model to the other.
    package static func reading(
        _ url: URL, from source: NSManagedObjectModel, to destination: NSManagedObjectModel
    ) -> NSMappingModel? {
        let fit = MappingFit(source, destination)
        guard let read = try? Self.read(url), fit.fits(read),
            !hasOwnHashes(url) || fit.hasHashes(of: read)
        else { return nil }
        let model = NSMappingModel()
        model.mappings = read
        return model
    }

    /// Infers the mapping between two models.
    ///
    /// - Throws: 134190 with all parts that cannot be inferred.
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        try bridgingErrors { () throws(CoreDataError) in
            try infer(source: sourceModel, destination: destinationModel)
        }
    }

    static func infer(
        source: NSManagedObjectModel, destination: NSManagedObjectModel
    ) throws(CoreDataError) -> NSMappingModel {
        let inference = MappingInference(
            source: try GenericModel.binding(of: source),
            destination: try GenericModel.binding(of: destination))
        _ = try inference.mapping()
        let model = NSMappingModel()
        model.mappings = InferredMappings(inference).all()
        return model
    }

    /// The entity mappings in the order in which they run; setting nil removes all.
    open var entityMappings: [NSEntityMapping]! {
        get { mappings }
        set { mappings = newValue ?? [] }
    }

    /// The entity mappings by name.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary(entityMappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Models without class names. Migrations use plain managed objects, because a program's classes
/// match only its newest model.
enum GenericModel {
    static func binding(of model: NSManagedObjectModel) throws(CoreDataError) -> ModelBinding {
        let copy = model.makeCopy()
        for entity in copy.entities { entity.managedObjectClassName = nil }
        return try ModelBinding.of(copy)
    }
}
