import Glibc

/// The reason why a file cannot be used, and a remedy. The caller adds the position at which the
/// file was named.
package struct FileProblem: Error, Sendable, Hashable {
    package var what: String
    package var instead: String

    package init(_ what: String, instead: String) {
        self.what = what
        self.instead = instead
    }

    /// The path does not exist.
    package static let absent = FileProblem(
        "this file does not exist", instead: "name a file that exists")
}

/// Reads regular files of a bounded size.
package enum InputFile {
    /// The maximum size in bytes of a scenario or a workload.
    package static let textMax = 1_000_000

    /// Reads the bytes of a file.
    ///
    /// - Parameter limit: the maximum number of bytes; a longer file is not read at all.
    /// - Throws: a ``FileProblem`` if the file is not a regular one, is too long or cannot be read.
    ///   The method never waits for a pipe, and never reads a device.
    package static func bytes(
        at path: String, atMost limit: Int = textMax
    ) throws(FileProblem) -> [UInt8] {
        let file = try open(path)
        defer { close(file.descriptor) }
        guard file.size <= limit else {
            throw FileProblem(
                "the file has \(file.size) bytes, and the limit is \(limit)",
                instead: "divide it, or name another file")
        }
        // Reads at most one byte more than allowed, which detects a file that grows during the
        // read.
        var bytes = [UInt8](repeating: 0, count: limit < file.size + 1 ? limit + 1 : file.size + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                read(file.descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw unreadable(errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= file.size else {
            throw FileProblem("the file grows while it is read", instead: "try again")
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Checks that a path is a readable regular file, without reading it.
    ///
    /// - Parameter limit: the maximum number of bytes.
    package static func check(_ path: String, atMost limit: Int) throws(FileProblem) {
        let file = try open(path)
        close(file.descriptor)
        guard file.size <= limit else {
            throw FileProblem(
                "the file has \(file.size) bytes, and the limit is \(limit)",
                instead: "name a smaller file")
        }
    }

    /// Whether the path can be passed to the system: it is not empty and contains no zero byte.
    static func isWhole(_ path: String) -> Bool {
        !path.isEmpty && !path.utf8.contains(0)
    }

    private static func open(
        _ path: String
    ) throws(FileProblem) -> (descriptor: Int32, size: Int) {
        guard isWhole(path) else {
            throw FileProblem("this is not a path", instead: "write the path of a file")
        }
        // Without `O_NONBLOCK`, opening a pipe would wait for a process that writes to it.
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable(errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            close(descriptor)
            throw FileProblem(
                isFolder ? "this is a folder" : "this is a pipe, a device or a socket",
                instead: "name a regular file")
        }
        return (descriptor, Int(status.st_size))
    }

    private static func unreadable(_ code: Int32) -> FileProblem {
        if code == ENOENT || code == ENOTDIR {
            return .absent
        }
        return FileProblem(
            "the file cannot be read (\(String(cString: strerror(code))))",
            instead: "name a readable file")
    }
}
