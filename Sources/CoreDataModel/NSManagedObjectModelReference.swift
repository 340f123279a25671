import CoreDataTrace
import Foundation
import Synchronization

/// A reference to a model: the model itself, its file, its name or its hashes.
///
/// The model is looked up at the first access. References can be used from any thread.
public final class NSManagedObjectModelReference: NSObject, Sendable {
    private enum Place: Sendable {
        case model(NSManagedObjectModel)
        case file(URL)
        case name(String, Bundle)
        case hashes([String: Data], Bundle)
    }

    private let place: Place
    private let checksum: String
    private let found = Mutex<NSManagedObjectModel?>(nil)

    /// Refers to a model.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        place = .model(model)
        checksum = versionChecksum
    }

    /// Refers to a model file: a `.mom`, an `.xcdatamodel`, or a folder with versions.
    public init(fileURL: URL, versionChecksum: String) {
        place = .file(fileURL)
        checksum = versionChecksum
    }

    /// Refers to a version of a model by its name.
    ///
    /// - Parameter bundle: the bundle of the model; nil for the main bundle.
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        place = .name(modelName, bundle ?? .main)
        checksum = versionChecksum
    }

    /// Refers to a version of a model by the hashes of its entities.
    ///
    /// - Parameter bundle: the bundle of the model; nil for the main bundle.
    public init(
        entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?,
        versionChecksum: String
    ) {
        var hashes: [String: Data] = [:]
        for (name, hash) in versionHash {
            if let name = name.base as? String { hashes[name] = hash as? Data }
        }
        place = .hashes(hashes, bundle ?? .main)
        checksum = versionChecksum
    }

    /// The checksum that the model must have.
    public var versionChecksum: String { checksum }

    /// The model, found at the first call.
    ///
    /// Traps if it is not found or has another checksum; ``resolve()`` throws instead.
    public var resolvedModel: NSManagedObjectModel {
        do { return try resolve() } catch { trap(error.description) }
    }

    /// The model, found at the first call.
    ///
    /// - Throws: the reason why the model is not found; error 134504 in the public API.
    package func resolve() throws(ModelError) -> NSManagedObjectModel {
        if let known = found.withLock({ $0 }) { return known }
        let model = try look()
        guard model.versionChecksum == checksum else {
            throw failure(
                "the model has the checksum \(model.versionChecksum), not \(checksum); "
                    + "use the version with the second checksum.")
        }
        found.withLock { $0 = model }
        return model
    }

    private func look() throws(ModelError) -> NSManagedObjectModel {
        switch place {
        case .model(let model): return model
        case .file(let url):
            if let version = VersionSearch(checksum: checksum).model(in: url) { return version }
            return try NSManagedObjectModel.load(contentsOf: url)
        case .name(let name, let bundle):
            if let model = Self.version(name, in: bundle) { return model }
            throw failure("the bundle has no model '\(name)'; add its .xcdatamodeld to the bundle.")
        case .hashes(let hashes, let bundle):
            let places = VersionPlaces(files: NSManagedObjectModel.modelURLs(in: [bundle]))
            if let found = VersionSearch(hashes: hashes).version(in: places) { return found.model }
            throw failure("the bundle has no model with the given hashes; add one to the bundle.")
        }
    }

    private static func version(_ name: String, in bundle: Bundle) -> NSManagedObjectModel? {
        for kind in ["mom", "momd", "xcdatamodel", "xcdatamodeld"] {
            guard let url = bundle.url(forResource: name, withExtension: kind) else { continue }
            if let model = try? NSManagedObjectModel.load(contentsOf: url) { return model }
        }
        for kind in ["momd", "xcdatamodeld"] {
            for url in bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? [] {
                let url = url as URL
                if let model = try? NSManagedObjectModel.load(contentsOf: url, version: name) {
                    return model
                }
            }
        }
        return nil
    }

    private func failure(_ message: String) -> ModelError {
        ModelError(ModelError.Finding(.noSuchVersion, message))
    }
}
