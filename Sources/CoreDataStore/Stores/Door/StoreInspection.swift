import CoreDataModel

/// Information about a store, read before the store is opened with a model.
///
/// Used by migrations. The store's ``StoreKind`` reads the information and changes nothing.
package struct StoreInspection {
    package let metadata: [String: any Sendable]
    /// The cached model in the store; nil if it does not exist or cannot be read.
    package let cachedModel: NSManagedObjectModel?
    /// The reason why the cached model is missing.
    package let cacheFailure: String?
    /// Whether the store contains a cached model, even one that cannot be read.
    package let carriesModel: Bool
    /// Whether the store contains all tables and columns that the entities of a model need.
    package let fits: (ModelLayout) -> Bool

    package init(
        metadata: [String: any Sendable], cachedModel: NSManagedObjectModel?,
        cacheFailure: String?, carriesModel: Bool, fits: @escaping (ModelLayout) -> Bool
    ) {
        self.metadata = metadata
        self.cachedModel = cachedModel
        self.cacheFailure = cacheFailure
        self.carriesModel = carriesModel
        self.fits = fits
    }

    /// Whether another framework created the store. Faultline cannot compute the hashes of such a
    /// store.
    package var isForeign: Bool {
        metadata[StoreMetadata.makerKey] as? String != StoreMetadata.maker
    }
}
