import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import LabFiles

/// Copies a store to another file or server, and compares the copy with it, for the command
/// `store copy`.
///
/// The copy has the primary keys of the original, so an object has the same entity and key in both.
package struct StoreTransfer {
    private let source: String
    private let destination: String
    private let modelPath: String?

    /// - Parameters:
    ///   - source: the path of a store's file, or the URL of a store on a server.
    ///   - destination: a path or a URL, where no store exists.
    ///   - model: a model's path; nil for the model in the store.
    package init(from source: String, to destination: String, model: String?) {
        self.source = source
        self.destination = destination
        modelPath = model
    }

    /// Copies and compares.
    package func run() throws -> TransferReport {
        try copy()
        return try comparison()
    }

    private func copy() throws {
        let (from, to) = (try StorePlace(source), try StorePlace(destination))
        let model = try model(from)
        let coordinator = try NSPersistentStoreCoordinator.make(model: model)
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        do {
            let store = try coordinator.addPersistentStore(
                ofType: from.kind.type, configurationName: nil, at: from.url,
                options: StorePlace.options)
            _ = try coordinator.migratePersistentStore(store, to: to.url, withType: to.kind.type)
        } catch {
            throw TransferProblem((error as NSError).localizedDescription)
        }
    }

    /// Compares two existing stores.
    package func comparison() throws -> TransferReport {
        let (from, to) = (try StorePlace(source), try StorePlace(destination))
        let coordinator = try NSPersistentStoreCoordinator.make(model: try model(from))
        return try compare(from, to, coordinator.frozenModel)
    }

    private func model(_ place: StorePlace) throws -> NSManagedObjectModel {
        if let modelPath { return ForeignModels.plain(try ModelSource.model(at: modelPath)) }
        if place.url.isFileURL {
            return ForeignModels.plain(try ModelSource.model(inCopy: source, of: source))
        }
        do throws(CoreDataError) {
            let location = try place.kind.location(of: place.url)
            let inspection = try place.kind.upgrade?.inspect(location)
            if let model = inspection?.cachedModel { return ForeignModels.plain(model) }
        } catch {
            throw TransferProblem(error)
        }
        throw TransferProblem("The store \(place.text) contains no model; name it with --model.")
    }

    private func compare(
        _ from: StorePlace, _ to: StorePlace, _ model: FrozenModel
    ) throws -> TransferReport {
        var report = TransferReport(from: from.text, to: to.text)
        do throws(CoreDataError) {
            let original = try from.open(model)
            defer { original.close() }
            let copy = try to.open(model)
            defer { copy.close() }
            for entity in model.layout.entities where !entity.isAbstract {
                report.add(try StoreRows(entity, of: original), try StoreRows(entity, of: copy))
            }
        } catch {
            throw TransferProblem(error)
        }
        return report
    }
}

/// The place of a store: a file or a server.
private struct StorePlace {
    /// The original is only read, also if its history is locked for other programs.
    static var options: [AnyHashable: Any] { [NSReadOnlyPersistentStoreOption: true] }

    let url: URL
    let kind: any StoreKind

    init(_ name: String) throws {
        if name.contains("://") {
            guard let url = URL(string: name) else {
                // The text may contain a password.
                let scheme = name.prefix { $0 != ":" }
                throw TransferProblem(
                    "The text after '\(scheme)://' is not a URL; correct it, or name a file.")
            }
            self.url = url
        } else {
            url = URL(fileURLWithPath: name)
        }
        do throws(CoreDataError) { kind = try StoreKinds.kind(at: url) } catch {
            throw TransferProblem(error)
        }
    }

    /// The path or the URL, without a password.
    var text: String { url.isFileURL ? url.path : url.withoutPassword }

    func open(_ model: FrozenModel) throws(CoreDataError) -> any ObjectStore {
        var request = StoreRequest(
            model: model, trace: Trace(), location: try kind.location(of: url),
            options: Self.options)
        request.describesModel = false
        return try kind.opening(request)
    }
}

/// A store that cannot be copied.
struct TransferProblem: UnusableInput, CustomStringConvertible {
    let description: String

    init(_ text: String) { description = text }

    init(_ error: CoreDataError) { description = error.message }
}
