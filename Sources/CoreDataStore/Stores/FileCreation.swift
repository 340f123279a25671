import Foundation

/// Creates the file of a store with content, for kinds whose stores are files.
///
/// The content is written under a hidden name first, so a process that ends leaves no file at the
/// location.
struct FileCreation {
    let kind: any StoreKind
    let request: StoreRequest
    /// Additional options for the store under the hidden name.
    var draftOptions: [AnyHashable: Any] = [:]

    init(kind: any StoreKind, request: StoreRequest) {
        self.kind = kind
        self.request = request
    }

    /// - Throws: 516 if a file exists at the location.
    func checkFree() throws(CoreDataError) {
        let path = request.location.text
        guard FileManager.default.fileExists(atPath: path) else { return }
        throw StoreFile.error(
            .fileWriteFileExists, path,
            "exists; destroy that store and remove the file, or use another path")
    }

    func run(
        _ fill: (any ObjectStore) throws(CoreDataError) -> Void
    ) throws(CoreDataError) -> any ObjectStore {
        guard case .file(let path) = request.location else { return try filled(request, fill) }
        let timeout =
            try StoreOptionsReader(request.options).timeoutMilliseconds()
            ?? StoreOptionsReader.usualTimeoutMilliseconds
        try StoreMove.hold(path, timeoutMilliseconds: timeout) { move throws(CoreDataError) in
            var draft = request
            draft.location = .file(move.draft)
            draft.options.merge(draftOptions) { $1 }
            try filled(draft, fill).close()
            try move.publish()
        }
        do throws(CoreDataError) { return try kind.opening(request) } catch {
            // This method created the file, so a failure removes it.
            removeFile(path)
            throw error
        }
    }

    /// Opens a new store and fills it with its content; closes the store on failure.
    private func filled(
        _ request: StoreRequest, _ fill: (any ObjectStore) throws(CoreDataError) -> Void
    ) throws(CoreDataError) -> any ObjectStore {
        let store = try kind.opening(request)
        do throws(CoreDataError) { try fill(store) } catch {
            store.close()
            throw error
        }
        return store
    }

    private func removeFile(_ path: String) {
        let store = ClosedStore(request.location.url, options: request.options)
        guard (try? kind.destroy(store)) != nil else { return }
        unlink(path)
    }
}
