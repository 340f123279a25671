import Foundation

/// The folder of a store's large values. Knows names and bytes; what they mean is known above.
///
/// It opens no database: closing one would drop the locks that the process has on it. The log that
/// it syncs has none.
struct ExternalFiles: Sendable {
    private let store: String

    init(store: String) { self.store = store }

    /// Everything of a store beside its file.
    static func supportFolder(ofStore path: String) -> String {
        let url = URL(fileURLWithPath: path)
        let name = url.deletingPathExtension().lastPathComponent
        return url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT").path
    }

    var folder: String { Self.supportFolder(ofStore: store) + "/_EXTERNAL_DATA" }

    /// Whether a name is one that a value's file can have, and so no way out of the folder.
    static func isName(_ name: String) -> Bool {
        name.utf8.count == 36 && UUID(uuidString: name)?.uuidString == name
    }

    /// The names of all values; other files are none of ours.
    func names() -> [String] {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return found.filter(Self.isName)
    }

    func load(_ name: String) throws -> [UInt8] {
        let file = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.failure(name) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Self.failure(name) }
        return try [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { bytes, filled in
            while filled < bytes.count {
                let rest = UnsafeMutableBufferPointer(rebasing: bytes[filled...])
                let count = read(file, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failure(name) }
                filled += count
            }
        }
    }

    /// Writes a new file that a power cut does not take back.
    func save(_ bytes: UnsafeRawBufferPointer, as name: String) throws {
        if !FileManager.default.fileExists(atPath: folder) { try makeFolder() }
        let file = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Self.failure(name) }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = write(file, piece.baseAddress, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(name) }
            rest = rest.dropFirst(count)
        }
        guard fsync(file) == 0, Self.makeDurable(folder) else { throw Self.failure(name) }
    }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let support = Self.supportFolder(ofStore: store)
        let parent = URL(fileURLWithPath: store).deletingLastPathComponent().path
        guard Self.makeDurable(support), Self.makeDurable(parent) else {
            throw Self.failure(folder)
        }
    }

    func remove(_ names: [String]) {
        for name in names { unlink("\(folder)/\(name)") }
    }

    /// Sees to it that a power cut does not take the last commit back.
    func syncStore() -> Bool {
        let log = store + "-wal"
        let isSynced = FileManager.default.fileExists(atPath: log) ? Self.makeDurable(log) : true
        return isSynced
            && Self.makeDurable(URL(fileURLWithPath: store).deletingLastPathComponent().path)
    }

    private static func makeDurable(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return fsync(file) == 0
    }

    private static func failure(_ name: String) -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}
