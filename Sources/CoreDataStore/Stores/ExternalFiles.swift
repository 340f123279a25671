import Foundation

/// The folder of a store's large values. This type handles only names and bytes; higher layers
/// interpret them.
///
/// A value's file is written once, under a unique name, and never changed. This type never opens
/// the database: closing a descriptor of it would drop the locks that the process has on it. It may
/// open the write-ahead log to sync it, because SQLite does not lock the log.
struct ExternalFiles: Sendable {
    let store: String
    let supportFolder: String
    /// Whether only the owner may read the written files.
    private let isPrivate: Bool

    /// - Parameters:
    ///   - store: the store's file.
    ///   - owner: the file whose folder contains the values, if it is not the store's file.
    init(store: String, valuesOf owner: String? = nil, isPrivate: Bool = false) {
        self.store = store
        supportFolder = Self.supportFolder(ofStore: owner ?? store)
        self.isPrivate = isPrivate
    }

    static func supportFolder(ofStore path: String) -> String {
        let url = URL(fileURLWithPath: path)
        let name = url.deletingPathExtension().lastPathComponent
        return url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT").path
    }

    var folder: String { supportFolder + "/_EXTERNAL_DATA" }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Whether the string is a valid name of a value's file. Such a name cannot refer to a file
    /// outside the folder.
    static func isName(_ name: String) -> Bool {
        name.utf8.count == 36 && UUID(uuidString: name)?.uuidString == name
    }

    /// Lists the files of values and the temporary files of copies; other files are omitted.
    func list() -> (values: [String], unfinished: [String]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return (names.filter(Self.isName), names.filter(Self.isUnfinished))
    }

    private static func isUnfinished(_ name: String) -> Bool {
        hidden.contains { suffix in
            name.hasPrefix(".") && name.hasSuffix(suffix)
                && isName(String(name.dropFirst().dropLast(suffix.count)))
        }
    }

    func load(_ name: String) throws -> [UInt8] { try read(path(name)).bytes }

    private func read(_ path: String) throws -> (bytes: [UInt8], mode: mode_t) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.failure }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Self.failure }
        let size = Int(status.st_size)
        let bytes = try [UInt8](unsafeUninitializedCapacity: size) { bytes, filled in
            while filled < bytes.count {
                let rest = UnsafeMutableBufferPointer(rebasing: bytes[filled...])
                let count = Glibc.read(file, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failure }
                filled += count
            }
        }
        return (bytes, status.st_mode & 0o777)
    }

    /// Writes a new file durably, so that it survives a power failure.
    func save(_ bytes: UnsafeRawBufferPointer, as name: String) throws {
        try makeFolder()
        try write(bytes, to: path(name), mode: isPrivate ? 0o600 : 0o644)
        guard Self.makeDurable(folder) else { throw Self.failure }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to path: String, mode: mode_t) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw Self.failure }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(file, piece.baseAddress, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure }
            rest = rest.dropFirst(count)
        }
        guard fsync(file) == 0 else { throw Self.failure }
    }

    private func makeFolder() throws {
        if FileManager.default.fileExists(atPath: folder) { return }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: isPrivate ? [.posixPermissions: 0o700] : nil)
        if isPrivate { chmod(supportFolder, 0o700) }
        let parent = URL(fileURLWithPath: supportFolder).deletingLastPathComponent().path
        guard Self.makeDurable(supportFolder), Self.makeDurable(parent) else { throw Self.failure }
    }

    func remove(_ names: [String]) {
        for name in names { unlink(path(name)) }
    }

    /// If no file of a value is left, removes the folders and the sweep's mark.
    func removeFolders() {
        guard rmdir(folder) == 0 else { return }
        mark.remove()
        rmdir(supportFolder)
    }

    /// The file that marks that every file in the folder belongs to a row.
    var mark: SweepMark { SweepMark(files: self) }

    /// Removes the permissions of other users to read the existing values.
    ///
    /// A folder of another owner keeps its permissions.
    func makePrivate() {
        var status = stat()
        guard stat(supportFolder, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        chmod(supportFolder, 0o700)
        chmod(folder, 0o700)
        for name in list().values { chmod(path(name), 0o600) }
    }

    /// Makes the last commit durable, so that it survives a power failure.
    func syncStore() -> Bool {
        let log = store + "-wal"
        let isSynced = FileManager.default.fileExists(atPath: log) ? Self.makeDurable(log) : true
        return isSynced
            && Self.makeDurable(URL(fileURLWithPath: store).deletingLastPathComponent().path)
    }

    static func makeDurable(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return fsync(file) == 0
    }

    private static var failure: POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}

// MARK: Copying

extension ExternalFiles {
    /// The suffixes of temporary files during a copy: a hard link to a value's file in the source,
    /// and an incomplete copy.
    private static let hidden = [".pin", ".new"]

    private func hiddenPath(_ name: String, _ ending: String) -> String {
        path(".\(name)\(ending)")
    }

    /// Copies values of another store, each completely or not at all.
    ///
    /// The source may be in use: a save that deletes a value also removes its file. So this folder
    /// first gets a hard link to each file, if the file system supports hard links.
    ///
    /// - Returns: the names of files that no longer exist. If there are any, the caller must start
    ///   again.
    func copy(_ names: Set<String>, from source: ExternalFiles) throws -> Set<String> {
        if names.isEmpty { return [] }
        try makeFolder()
        defer { remove(list().unfinished) }
        var gone: Set<String> = []
        for name in names {
            let pin = hiddenPath(name, ".pin")
            unlink(pin)
            if link(source.path(name), pin) != 0, errno == ENOENT { gone.insert(name) }
        }
        if !gone.isEmpty { return gone }
        for name in names.sorted() {
            do { try copy(name, from: source) } catch let error as POSIXError {
                guard error.code == .ENOENT else { throw error }
                return [name]
            }
        }
        guard Self.makeDurable(folder) else { throw Self.failure }
        return []
    }

    private func copy(_ name: String, from source: ExternalFiles) throws {
        let pin = hiddenPath(name, ".pin")
        let isPinned = access(pin, F_OK) == 0
        let (bytes, mode) = try read(isPinned ? pin : source.path(name))
        let made = hiddenPath(name, ".new")
        unlink(made)
        try bytes.withUnsafeBytes { try write($0, to: made, mode: isPrivate ? 0o600 : mode) }
        // A file with this name contains the same value. Or it is incomplete, because a copy was
        // interrupted.
        guard rename(made, path(name)) == 0 else { throw Self.failure }
        unlink(pin)
    }
}
