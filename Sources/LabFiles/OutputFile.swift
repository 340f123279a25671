import Glibc

/// Writes output to a path that the user specified, and changes no other file.
///
/// A regular file is replaced in one step and keeps its permissions. A symbolic link stays a link.
/// If the path names a device or a pipe, the bytes are written into it.
package enum OutputFile {
    /// Writes bytes to a path. The folder must exist.
    ///
    /// - Throws: a ``FileProblem`` if the path is a folder, or if the system refuses the write. An
    ///   existing regular file is then unchanged.
    package static func write(_ bytes: [UInt8], to path: String) throws(FileProblem) {
        guard InputFile.isWhole(path) else {
            throw FileProblem("this is not a path", instead: "write the path of a file")
        }
        let place = resolved(path)
        if let descriptor = ownDescriptor(place) { return try pour(bytes, into: descriptor) }
        var status = stat()
        guard stat(place, &status) == 0 else {
            guard errno == ENOENT else { throw refused(errno) }
            return try replace(place, nil, with: bytes)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: try replace(place, status, with: bytes)
        case S_IFDIR: throw FileProblem("this is a folder", instead: "name a file")
        default: try writeThrough(place, bytes, O_NOCTTY)
        }
    }

    /// Appends bytes to a file, which is created if it is missing.
    package static func append(_ bytes: [UInt8], to path: String) throws(FileProblem) {
        try writeThrough(path, bytes, O_APPEND | O_CREAT | O_NOCTTY)
    }

    // MARK: Places

    /// The path with resolved symbolic links. The last component need not exist.
    private static func resolved(_ path: String) -> String {
        var place = path
        // The kernel also follows at most 40 links.
        for _ in 0..<40 {
            if ownDescriptor(place) != nil { return place }
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(place, &buffer, buffer.count)
            guard count > 0 else { return place }
            let target = String(
                decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            place = target.hasPrefix("/") ? target : folder(of: place) + target
        }
        return place
    }

    /// The descriptor of this process that a path such as `/dev/fd/3` names. Opening the path
    /// instead would write at the beginning of the file.
    private static func ownDescriptor(_ path: String) -> Int32? {
        for prefix in ["/proc/self/fd/", "/dev/fd/"] where path.hasPrefix(prefix) {
            return Int32(path.dropFirst(prefix.count))
        }
        return nil
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    // MARK: Writing

    private static func replace(
        _ path: String, _ old: stat?, with bytes: [UInt8]
    ) throws(FileProblem) {
        let name = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let made = folder(of: path) + ".faultline-\(name).new"
        let descriptor = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            // The file may be writable although its folder is not.
            guard old != nil, [EACCES, EPERM, EROFS].contains(errno) else { throw refused(errno) }
            return try writeThrough(path, bytes, O_TRUNC)
        }
        defer { close(descriptor) }
        do throws(FileProblem) {
            if let old {
                if old.st_uid != geteuid() { _ = fchown(descriptor, old.st_uid, old.st_gid) }
                guard fchmod(descriptor, old.st_mode & 0o7777) == 0 else { throw refused(errno) }
            }
            try pour(bytes, into: descriptor)
            guard rename(made, path) == 0 else { throw refused(errno) }
        } catch {
            unlink(made)
            throw error
        }
    }

    private static func writeThrough(
        _ path: String, _ bytes: [UInt8], _ flags: Int32
    ) throws(FileProblem) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o666)
        guard descriptor >= 0 else { throw refused(errno) }
        defer { close(descriptor) }
        try pour(bytes, into: descriptor)
    }

    private static func pour(_ bytes: [UInt8], into descriptor: Int32) throws(FileProblem) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(
                    descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw refused(errno) }
            done += count
        }
    }

    private static func refused(_ code: Int32) -> FileProblem {
        FileProblem(
            "the file cannot be written (\(String(cString: strerror(code))))",
            instead: "name a path that you may write to")
    }
}
