import Foundation
import Glibc

/// A hidden folder next to a document, in which the document is written before it is moved to its
/// location.
///
/// The process that creates the folder locks it, and the system releases the lock when the process
/// ends. So an unlocked folder belongs to a process that was killed. It is removed when the
/// document is next opened or created.
final class DocumentDraft: Sendable {
    private let folder: URL
    private let descriptor: Int32
    /// The path at which the new document is written. At first, no file exists there.
    let place: URL

    /// Creates the folder, and removes the folders of earlier drafts that are no longer locked.
    init(beside url: URL) throws {
        Self.sweep(beside: url)
        while true {
            let folder = url.deletingLastPathComponent().appendingPathComponent(
                Self.prefix(url) + UUID().uuidString, isDirectory: true)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false)
            guard let descriptor = Self.lock(folder) else { continue }
            // Another process may have removed the folder before this process has locked it.
            guard DocumentFiles.exists(folder) else {
                close(descriptor)
                continue
            }
            self.folder = folder
            self.descriptor = descriptor
            place = folder.appendingPathComponent(url.lastPathComponent)
            return
        }
    }

    deinit { close(descriptor) }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Removes the folders next to a document that are not locked.
    static func sweep(beside url: URL) {
        let parent = url.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        let prefix = prefix(url)
        for name in names where name.hasPrefix(prefix) {
            guard UUID(uuidString: String(name.dropFirst(prefix.count))) != nil else { continue }
            let left = parent.appendingPathComponent(name)
            guard let descriptor = lock(left) else { continue }
            try? FileManager.default.removeItem(at: left)
            close(descriptor)
        }
    }

    private static func prefix(_ url: URL) -> String { ".\(url.lastPathComponent).new-" }

    /// Locks a folder. Nil if another process has locked it.
    private static func lock(_ folder: URL) -> Int32? {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        close(descriptor)
        return nil
    }
}
