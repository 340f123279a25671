// Owns folders for the files of attacks: made for one campaign, and gone when it ends, also by
// Ctrl-C, also after a kill once the next campaign begins.

import Foundation
import Glibc
import Synchronization

/// A folder that only its owner can read, removed with this value or when the process ends.
///
/// While it is in use its descriptor holds a lock, which no end of a process leaves behind.
package final class PrivateFolder: Sendable {
    /// A folder that is younger may not have its lock yet.
    private static let forgottenSeconds = 600.0

    package let path: String
    private let descriptor: Int32

    /// - Throws: where no folder can be made among the temporary ones.
    package init() throws(InputFailure) {
        Self.removeForgotten()
        let pattern = NSTemporaryDirectory() + Self.prefix + "XXXXXX"
        var bytes = Array(pattern.utf8CString)
        guard mkdtemp(&bytes) != nil else {
            throw InputFailure(
                "no folder can be made in \(NSTemporaryDirectory()): \(Self.reason); set TMPDIR to"
                    + " a folder that can be written")
        }
        path = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        FolderKeeper.shared.add(path)
    }

    deinit {
        FolderKeeper.shared.remove(path)
        close(descriptor)
    }

    /// Makes a folder inside and gives its path.
    package func makeFolder(_ name: String) throws(InputFailure) -> String {
        let folder = path + "/" + name
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw InputFailure("\(folder) cannot be made: \(error)")
        }
        return folder
    }

    private static let prefix = "faultline-torture-"

    static var reason: String { String(cString: strerror(errno)) }

    /// Removes folders whose process is gone without having done so.
    private static func removeForgotten() {
        let place = NSTemporaryDirectory()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        for name in names where name.hasPrefix(prefix) && isForgotten(place + name) {
            try? FileManager.default.removeItem(atPath: place + name)
        }
    }

    private static func isForgotten(_ folder: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder)
        guard let changed = attributes?[.modificationDate] as? Date,
            changed.timeIntervalSinceNow < -forgottenSeconds
        else { return false }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}

/// Why an attack cannot run, in one line with what to do.
package struct InputFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Knows all private folders of the process, and removes them when it ends.
private final class FolderKeeper: Sendable {
    static let shared = FolderKeeper()

    private let paths = Mutex<Set<String>>([])

    private init() {
        atexit { FolderKeeper.shared.removeAll() }
        watchSignals()
    }

    func add(_ path: String) { _ = paths.withLock { $0.insert(path) } }

    func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
        _ = paths.withLock { $0.remove(path) }
    }

    private func removeAll() {
        for path in paths.withLock({ $0 }) { remove(path) }
    }

    /// Waits for the signals that end a program on a thread of its own, where anything may be
    /// called; threads that start later inherit that the signals are blocked.
    private func watchSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let waited = signals
        let watcher = Thread {
            var waited = waited
            var signal: Int32 = 0
            guard sigwait(&waited, &signal) == 0 else { return }
            self.removeAll()
            Glibc.signal(signal, SIG_DFL)
            pthread_sigmask(SIG_UNBLOCK, &waited, nil)
            kill(getpid(), signal)
        }
        watcher.start()
    }
}
