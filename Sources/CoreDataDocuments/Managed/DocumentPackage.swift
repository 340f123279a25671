import Foundation

/// Where the parts of a document's folder are.
struct DocumentPackage: Sendable {
    let folder: URL
    let storeName: String

    var storeFolder: URL { folder.appendingPathComponent("StoreContent", isDirectory: true) }
    var store: URL { storeFolder.appendingPathComponent(storeName) }
    var additional: URL {
        folder.appendingPathComponent("AdditionalContent", isDirectory: true)
    }
    /// Additional content that is being written.
    var pendingAdditional: URL {
        folder.appendingPathComponent(".AdditionalContent.new", isDirectory: true)
    }

    /// Fails where there is no document, so that opening one does not make it.
    func checkThere() throws {
        guard DocumentFiles.isFolder(folder) else {
            let isFile = DocumentFiles.exists(folder)
            throw DocumentError.error(
                isFile ? .fileReadCorruptFile : .fileReadNoSuchFile, folder,
                isFile
                    ? "is a file, not a document's folder"
                    : "is not there; save it with forCreating")
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

/// What one save writes beside the contexts' changes.
struct DocumentContents {
    /// What `additionalContent(for:)` gave.
    let additional: Any

    var hasAdditional: Bool { !(additional is NSNull) }
}

/// What opening a store asks the document for; gathered on the main queue.
// `@unchecked Sendable` because the options are a copy that nobody changes.
struct StoreSettings: @unchecked Sendable {
    let options: [AnyHashable: Any]?
    let configuration: String?
}
