import CoreDataTrace
import Foundation

/// The migrations of SQLite stores, either by SQL in the file itself or by copying the content of
/// another file.
package struct SQLiteUpgrade: StoreUpgrade {
    package init() {}

    package func inspect(
        _ location: StoreLocation
    ) throws(CoreDataError) -> StoreInspection {
        try StoreInspection.read(location.text)
    }

    package func migrate(
        _ location: StoreLocation, by change: SchemaChange, trace: Trace
    ) throws(CoreDataError) -> Int? {
        try SchemaMigration(path: location.text, change, trace: trace).run()
    }

    package func finishDeferredWork(
        of store: any ObjectStore, at location: StoreLocation, by change: SchemaChange, trace: Trace
    ) throws(CoreDataError) {
        _ = try migrate(location, by: change, trace: trace)
        (store as? SQLiteStore)?.noteDeferredWorkDone()
    }

    package func replaceContent<T>(
        of location: StoreLocation, _ replacement: ContentReplacement,
        fill: (URL, [AnyHashable: Any]) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T? {
        var work = StoreReplacement(path: location.text, trace: replacement.trace)
        work.busyTimeoutMilliseconds = replacement.timeoutMilliseconds
        // The external files go into the folder of the existing store, whose rows will refer to
        // them.
        let options: [AnyHashable: Any] = [SQLiteStoreOptions.valuesOwnerKey: location.text]
        return try work.run(ifHashesAre: replacement.hashes) { made throws(CoreDataError) in
            try fill(made, options)
        }
    }

    package func openHolding(
        _ request: StoreRequest
    ) throws(CoreDataError) -> any HoldingStore {
        var options = try SQLiteKind().options(of: request)
        options.isAlone = true
        return try SQLiteStore(options, layout: request.model.layout, trace: request.trace)
    }
}
