import Foundation
import Synchronization

/// The standard output and the standard error of the process.
///
/// Strings are written with `write(2)`, because `FileHandle` ends the process if the disk is full.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// The number of strings that ``log(_:)`` has dropped since its last successful write.
    private static let lost = Atomic<Int>(0)

    /// Writes a string as a whole.
    ///
    /// - Throws: the system's error, for example if the stream's disk is full.
    package func write(_ text: String) throws(StandardStreamError) {
        try Self.write(text, to: rawValue)
    }

    /// Writes a string to standard error. If this fails, the string is dropped, and the next
    /// successful write begins with a line that states the number of dropped strings.
    package static func log(_ text: String) { log(text, to: error.rawValue) }

    /// Like ``log(_:)``, for any open file, which tests pass.
    static func log(_ text: String, to file: Int32) {
        let lost = lost.exchange(0, ordering: .relaxed)
        let preface = lost > 0 ? "CoreData: error: \(lost) earlier texts were not written.\n" : ""
        do throws(StandardStreamError) { try write(preface + text, to: file) } catch {
            self.lost.add(lost + 1, ordering: .relaxed)
        }
    }

    static func write(_ text: String, to file: Int32) throws(StandardStreamError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0 && errno == EAGAIN {
                // A non-blocking pipe has space again when its reader has read.
                var stream = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                _ = poll(&stream, 1, -1)
            } else if count == 0 || errno != EINTR {
                throw StandardStreamError(number: errno)
            }
        }
    }
}

/// The reason why a string could not be written.
package struct StandardStreamError: Error, CustomStringConvertible {
    /// The value of `errno`.
    package let number: Int32

    package var description: String { String(cString: strerror(number)) }
}
