import CoreDataTrace
import Foundation

/// The exclusive right to replace a store's file, and the file that will replace it.
///
/// Both are one file next to the store's file, `.NAME.faultline-new`. Only the process that holds
/// its lock may write and rename it. When a process ends, the kernel releases the lock. A file
/// without a lock is therefore left over from a killed save, and the next open or save removes it.
/// `StoreMove` and `StoreSweep` only use the lock.
struct PendingFile {
    /// The store's file, with symbolic links resolved.
    package let path: String
    private let name: String
    private let descriptor: Int32
    /// The permissions that the process's umask allows for a new file.
    private let mode: mode_t
    private var isInPlace = false

    private init(path: String, name: String, descriptor: Int32, mode: mode_t) {
        self.path = path
        self.name = name
        self.descriptor = descriptor
        self.mode = mode
    }

    /// Runs a body while no other process or store can change the file, if it respects the lock.
    ///
    /// - Parameter timeoutMilliseconds: the time to wait for other processes and stores.
    /// - Throws: 134090 if the lock is not available in time, and file system errors.
    package static func hold<T>(
        _ path: String, timeoutMilliseconds: Int,
        _ body: (inout PendingFile) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        var pending = try take(resolved(path), timeoutMilliseconds)
        defer { pending.end() }
        return try body(&pending)
    }

    /// Removes the temporary file of a killed save.
    ///
    /// Failures are ignored: a process that may not remove the file cannot save either, and its
    /// save reports the error.
    package static func clear(_ path: String) {
        let path = resolved(path)
        let name = name(beside: path)
        let found = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard found >= 0 else { return }
        defer { close(found) }
        guard (try? lock(found, path)) == true, isAt(name, found) else { return }
        StoreMove.removeDraft(draft(beside: path))
        unlink(name)
    }

    // MARK: Changing the file

    /// Replaces the content of the file, completely or not at all, even if the power fails.
    ///
    /// Keeps the permissions, and the owner if the system allows it.
    package mutating func replace(with data: Data, isPrivate: Bool) throws(CoreDataError) {
        guard data.count <= RegularFile.sizeMax else {
            throw StoreFile.error(
                .fileWriteUnknown, path,
                "would have more than 2 GiB; migrate the store to NSSQLiteStoreType")
        }
        assert(!isInPlace, "the file has already replaced the store's file")
        let old = try RegularFile.status(path)
        try Self.write(data, to: descriptor, path)
        if let old, old.st_uid != geteuid() { _ = fchown(descriptor, old.st_uid, old.st_gid) }
        let permissions = isPrivate ? 0o600 : old.map { $0.st_mode & 0o777 } ?? mode
        // The folder is opened first, because no step after the rename may fail.
        let folder = try openFolder()
        defer { close(folder) }
        var made = stat()
        guard fstat(descriptor, &made) == 0,
            made.st_mode & 0o777 == permissions || fchmod(descriptor, permissions) == 0,
            fsync(descriptor) == 0, rename(name, path) == 0
        else { throw failure }
        isInPlace = true
        keep(folder)
    }

    package func remove() throws(CoreDataError) {
        let folder = try openFolder()
        defer { close(folder) }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw CoreDataError(FileFailure(errno, .writing), path, cannotBe: "removed")
        }
        keep(folder)
    }

    package static func write(
        _ data: Data, to descriptor: Int32, _ path: String
    ) throws(CoreDataError) {
        var done = 0
        while done < data.count {
            let written = data.withUnsafeBytes { buffer in
                Foundation.write(
                    descriptor, buffer.baseAddress.map { $0 + done }, data.count - done)
            }
            if written < 0 && errno == EINTR { continue }
            guard written >= 0 else {
                throw CoreDataError(FileFailure(errno, .writing), path, cannotBe: "written")
            }
            done += written
        }
    }

    private func openFolder() throws(CoreDataError) -> Int32 {
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure }
        return folder
    }

    /// Syncs the folder to the disk after a rename or a removal.
    ///
    /// Other processes already see the change. If the sync fails, the change is kept, as in SQLite.
    /// A message then says that a power failure may undo it.
    private func keep(_ folder: Int32) {
        // Some file systems return EINVAL, because a folder has nothing to sync.
        guard fsync(folder) != 0, errno != EINVAL else { return }
        SQLLog.writeToStandardError(
            "CoreData: error: The file \(path) has been changed, and its folder could not be"
                + " synced: \(String(cString: strerror(errno))). A power cut may undo the change.")
    }

    private var failure: CoreDataError {
        CoreDataError(FileFailure(errno, .writing), path, cannotBe: "written")
    }

    private func end() {
        // The name is removed before the lock is released. Otherwise another process could treat
        // the file as a leftover.
        if !isInPlace { unlink(name) }
        close(descriptor)
    }

    // MARK: Taking the lock

    private static func take(
        _ path: String, _ timeoutMilliseconds: Int
    ) throws(CoreDataError) -> PendingFile {
        let name = name(beside: path)
        let start = ContinuousClock.now
        while true {
            if let pending = try make(path, name) { return pending }
            let isLeft = try takeOver(name, path)
            if isLeft { continue }
            guard ContinuousClock.now - start < .milliseconds(timeoutMilliseconds) else {
                throw StoreFile.error(
                    .storeTimeout, path,
                    "is being written by the owner of the lock on \(name); try again,"
                        + " or raise NSPersistentStoreTimeoutOption")
            }
            usleep(UInt32.random(in: 500...3_000))
        }
    }

    /// Creates the file and locks it; nil if the file already exists.
    private static func make(
        _ path: String, _ name: String
    ) throws(CoreDataError) -> PendingFile? {
        let made = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard made >= 0 else {
            if errno == EEXIST { return nil }
            throw CoreDataError(FileFailure(errno, .writing), path, cannotBe: "written")
        }
        var isOurs = false
        defer { if !isOurs { close(made) } }
        var status = stat()
        // Another process may have removed the file before this process locked it.
        guard try lock(made, path), isAt(name, made), fstat(made, &status) == 0 else { return nil }
        isOurs = true
        // Other users may not read the file before it has its final permissions. File systems
        // without permissions return an error, which is ignored.
        _ = fchmod(made, 0o600)
        return PendingFile(
            path: path, name: name, descriptor: made, mode: status.st_mode & 0o777)
    }

    /// Removes the file if no process has its lock.
    ///
    /// - Returns: whether the file no longer exists.
    private static func takeOver(_ name: String, _ path: String) throws(CoreDataError) -> Bool {
        let found = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard found >= 0 else {
            if errno == ENOENT { return true }
            let failure = FileFailure(errno, .writing)
            throw CoreDataError(
                failure, path,
                cannotBe: "written, because \(name) exists and cannot be opened; remove it")
        }
        defer { close(found) }
        guard try lock(found, path) else { return false }
        return !isAt(name, found) || unlink(name) == 0
    }

    /// The lock belongs to the open file, not to the process. So two locks of one process exclude
    /// each other. Closing another descriptor of the file does not release the lock.
    ///
    /// - Returns: whether the lock was taken.
    private static func lock(
        _ descriptor: Int32, _ path: String
    ) throws(CoreDataError) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        if errno == EWOULDBLOCK || errno == EINTR { return false }
        throw CoreDataError(FileFailure(errno, .writing), path, cannotBe: "locked")
    }

    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var opened = stat()
        var found = stat()
        return fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0
            && opened.st_dev == found.st_dev && opened.st_ino == found.st_ino
    }

    // MARK: Names

    private static func folder(of path: String) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    /// The path of the temporary file. A long name is shortened, so that it is a valid file name.
    private static func name(beside path: String) -> String {
        hidden(beside: path, ".faultline-new", lengthMax: 240)
    }

    /// The path for a new store that will be moved to the given path. It leaves room for SQLite's
    /// suffixes.
    static func draft(beside path: String) -> String {
        hidden(beside: path, ".faultline-draft", lengthMax: 200)
    }

    private static func hidden(
        beside path: String, _ ending: String, lengthMax: Int
    ) -> String {
        let last = (path as NSString).lastPathComponent
        let short = last.utf8.count <= lengthMax ? last : "\(Checksum(Data(last.utf8)).value)"
        return "\(folder(of: path))/.\(short)\(ending)"
    }

    /// The target of a symbolic link: a save replaces the target and keeps the link.
    private static func resolved(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        let manager = FileManager.default
        guard let target = try? manager.destinationOfSymbolicLink(atPath: path) else { return path }
        return target.hasPrefix("/") ? target : "\(folder(of: path))/\(target)"
    }
}
