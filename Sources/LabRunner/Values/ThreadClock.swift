import Glibc

/// The time that a thread has run or slept. While the thread is ready and waits for a core, or
/// while it waits for a disk, its clock stands still: a busy machine stops it, and nothing else.
struct ThreadClock {
    /// The thread's number, as the system knows it.
    private let number: Int32
    /// What the thread has used at the last look; nil where the system says nothing of it.
    private var processorTime: Duration?

    /// - Parameter number: the thread's, as the system knows it; 0 where it is not known.
    init(_ number: Int32) {
        self.number = number
        processorTime = Self.look(at: number)?.processorTime
    }

    /// Looks at the thread.
    ///
    /// - Parameter elapsed: the time since the last look by the wall clock, which also is the time
    ///   on this clock where the system says nothing of the thread.
    /// - Returns: the time since the last look by this clock.
    mutating func pass(_ elapsed: Duration) -> Duration {
        let before = processorTime
        guard let seen = Self.look(at: number) else { return elapsed }
        processorTime = seen.processorTime
        guard seen.isHeldUp, let before else { return elapsed }
        return min(elapsed, seen.processorTime - before)
    }

    /// What the system says of a thread at one moment.
    struct Look: Equatable {
        /// It runs or is ready to run, or it waits for a disk.
        let isHeldUp: Bool
        let processorTime: Duration

        /// - Parameter status: the line that the system has for each thread.
        init?(status: String) {
            // The name of the thread may hold spaces; fields are counted behind it.
            guard let end = status.lastIndex(of: ")") else { return nil }
            let fields = status[end...].split(separator: " ")
            guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13])
            else { return nil }
            isHeldUp = ["R", "D"].contains(fields[1])
            processorTime = .seconds(1) * (user + system) / sysconf(Int32(_SC_CLK_TCK))
        }
    }

    private static func look(at number: Int32) -> Look? {
        if number == 0 { return nil }
        let file = open("/proc/self/task/\(number)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? Look(status: String(decoding: bytes[..<count], as: UTF8.self)) : nil
    }
}
