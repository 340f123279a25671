import Foundation

/// The paths of the parts of a document's folder.
struct DocumentPackage: Sendable {
    let folder: URL
    let storeName: String

    var storeFolder: URL { folder.appendingPathComponent("StoreContent", isDirectory: true) }
    var store: URL { storeFolder.appendingPathComponent(storeName) }
    var additional: URL {
        folder.appendingPathComponent("AdditionalContent", isDirectory: true)
    }
    var pendingAdditional: URL {
        folder.appendingPathComponent(".AdditionalContent.new", isDirectory: true)
    }

    /// Throws an error if the document does not exist, because opening its store would create the
    /// store.
    func checkThere() throws {
        guard DocumentFiles.isFolder(folder) else {
            let isFile = DocumentFiles.exists(folder)
            throw DocumentError.error(
                isFile ? .fileReadCorruptFile : .fileReadNoSuchFile, folder,
                isFile
                    ? "is a file; a document is a folder"
                    : "does not exist; save it with forCreating")
        }
        guard DocumentFiles.exists(store) else {
            throw DocumentError.error(
                .fileReadCorruptFile, folder, "has no StoreContent/\(storeName)")
        }
    }

    func make() throws {
        for made in [folder, storeFolder] {
            try FileManager.default.createDirectory(at: made, withIntermediateDirectories: false)
        }
    }
}

/// The content that a save writes in addition to the changes of the contexts.
struct DocumentContents {
    let additional: Any

    var hasAdditional: Bool { !(additional is NSNull) }
}

/// The settings for opening the store. They are read on the main queue.
// `@unchecked Sendable` because the options are a copy that is never changed.
struct StoreSettings: @unchecked Sendable {
    let options: [AnyHashable: Any]?
    let configuration: String?
}
