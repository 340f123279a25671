import Foundation
import Glibc

/// A hidden folder beside a document, in which the document is made before it is put in place.
///
/// Its maker holds the lock of the folder. The system gives the lock back when the process ends,
/// however it ends, so a folder without one is what a killed process left: it goes when the
/// document is opened or made next.
final class DocumentDraft: Sendable {
    private let folder: URL
    private let descriptor: Int32
    /// Where the document is made; nothing is there at first.
    let place: URL

    /// Makes the folder, and removes those that nobody holds.
    init(beside url: URL) throws {
        Self.sweep(beside: url)
        while true {
            let folder = url.deletingLastPathComponent().appendingPathComponent(
                Self.prefix(url) + UUID().uuidString, isDirectory: true)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false)
            guard let descriptor = Self.lock(folder) else { continue }
            // Somebody may have taken it for left behind before it was locked.
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

    /// Removes the folder with what is in it.
    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Removes the folders beside a document that nobody holds.
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

    /// Locks a folder; nil where somebody else has it.
    private static func lock(_ folder: URL) -> Int32? {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        close(descriptor)
        return nil
    }
}
