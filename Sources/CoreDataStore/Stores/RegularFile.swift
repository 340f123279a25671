import Foundation

/// Reads a file as a whole, but only a regular file.
///
/// The kind is checked before the file is opened. Opening a pipe would wait for a writer, and
/// opening a device may have any effect.
enum RegularFile {
    /// The maximum size of a file that is read and written as a whole. Lengths in the formats have
    /// 32 bits.
    static let sizeMax = 1 << 31 - 1

    /// The status of the file, after following symbolic links; nil if the file does not exist.
    ///
    /// - Throws: 256 if the file is not a regular file, 257 or similar if its status cannot be
    ///   read.
    package static func status(_ path: String) throws(CoreDataError) -> stat? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw CoreDataError(FileFailure(errno, .reading), path, cannotBe: "found")
        }
        try check(status, path)
        return status
    }

    /// The bytes of a file.
    ///
    /// - Throws: 260 for a missing file, 256 if it is not a regular file, 263 for a file larger
    ///   than 2 GiB, and file system errors.
    package static func bytes(_ path: String) throws(CoreDataError) -> Data {
        guard try status(path) != nil else {
            throw StoreFile.error(
                .readOnlyFileMissing, path, "does not exist; use the path of a store",
                reason: "Attempt to open missing file read only")
        }
        // Opened without blocking, because a pipe may have replaced the file in the meantime.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw CoreDataError(FileFailure(errno, .reading), path, cannotBe: "read")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CoreDataError(FileFailure(errno, .reading), path, cannotBe: "read")
        }
        try check(status, path)
        guard status.st_size <= sizeMax else {
            throw StoreFile.error(
                .fileReadTooLarge, path,
                "has more than 2 GiB, the maximum for a store of this type; use NSSQLiteStoreType")
        }
        return try bytes(descriptor, count: Int(status.st_size), path)
    }

    private static func bytes(
        _ descriptor: Int32, count: Int, _ path: String
    ) throws(CoreDataError) -> Data {
        var data = Data(count: count)
        var done = 0
        while done < count {
            let read = data.withUnsafeMutableBytes { buffer in
                Foundation.read(descriptor, buffer.baseAddress.map { $0 + done }, count - done)
            }
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else {
                throw CoreDataError(FileFailure(errno, .reading), path, cannotBe: "read")
            }
            if read == 0 { break }
            done += read
        }
        return data.prefix(done)
    }

    private static func check(_ status: stat, _ path: String) throws(CoreDataError) {
        let kind: String
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: kind = "folder"
        case S_IFIFO: kind = "pipe"
        case S_IFSOCK: kind = "socket"
        default: kind = "device"
        }
        throw StoreFile.error(.fileReadUnknown, path, "is a \(kind); use the path of a file")
    }
}
