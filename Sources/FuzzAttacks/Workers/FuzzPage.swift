import Foundation
import Glibc

/// The status of a worker, in a page of memory that it shares with its supervisor. The status
/// therefore survives a crash.
///
/// The worker writes, and the supervisor reads. Each input costs one memory write.
struct FuzzPage: Sendable {
    /// The index of the current attempt's number, which is -1 before the first attempt.
    private static let attemptPlace = 0
    private static let acceptedPlace = 1
    private static let refusedPlace = 2
    private static let size = 4_096

    // Safe: only the worker's working thread writes, and words are read atomically.
    private nonisolated(unsafe) let words: UnsafeMutablePointer<Int>

    init(_ path: String) throws(FuzzFailure) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FuzzFailure("\(path) cannot be opened: error \(errno)") }
        defer { close(file) }
        guard ftruncate(file, off_t(Self.size)) == 0,
            let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            memory != MAP_FAILED
        else { throw FuzzFailure("\(path) cannot be mapped: error \(errno)") }
        words = memory.bindMemory(to: Int.self, capacity: Self.size / MemoryLayout<Int>.stride)
    }

    func unmap() { munmap(words, Self.size) }

    var attempt: Int {
        get { words[Self.attemptPlace] }
        nonmutating set { words[Self.attemptPlace] = newValue }
    }

    var accepted: Int {
        get { words[Self.acceptedPlace] }
        nonmutating set { words[Self.acceptedPlace] = newValue }
    }

    var refused: Int {
        get { words[Self.refusedPlace] }
        nonmutating set { words[Self.refusedPlace] = newValue }
    }

    func reset() { (attempt, accepted, refused) = (-1, 0, 0) }
}

/// An error that prevents inputs from being run.
package struct FuzzFailure: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
