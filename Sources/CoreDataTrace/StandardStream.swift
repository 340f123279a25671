import Foundation
import Synchronization

/// The standard output and the standard error of the process.
///
/// Every text goes through `write(2)`: `FileHandle` ends the process if the disk behind a stream is
/// full.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// How many texts ``log(_:)`` could not write since it last wrote one.
    private static let lost = Atomic<Int>(0)

    /// Writes a text in one piece.
    ///
    /// - Throws: the system's error, for example if the disk behind the stream is full.
    package func write(_ text: String) throws(StandardStreamError) {
        try Self.write(text, to: rawValue)
    }

    /// Writes a text to the standard error, or drops it if that cannot take it. The first text that
    /// can be written again is preceded by a line with the number of those that were dropped.
    package static func log(_ text: String) { log(text, to: error.rawValue) }

    /// Writes a text to an open file, or counts it as dropped; tests give a file of their own.
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
                // A pipe that does not block has room when its reader has read.
                var stream = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                _ = poll(&stream, 1, -1)
            } else if count == 0 || errno != EINTR {
                throw StandardStreamError(number: errno)
            }
        }
    }
}

/// What kept a text from being written.
package struct StandardStreamError: Error, CustomStringConvertible {
    /// The system's number of the error.
    package let number: Int32

    package var description: String { String(cString: strerror(number)) }
}
