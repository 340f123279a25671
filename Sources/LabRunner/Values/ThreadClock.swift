import Glibc

/// Measures the time that a thread has run or slept. The clock stops while the thread waits for a
/// core or a disk. So the time limits of threads do not expire because the machine is busy.
struct ThreadClock {
    private let number: Int32
    /// The thread's processor time at the last check; nil if the system does not report it.
    private var processorTime: Duration?

    /// - Parameter number: the thread ID; 0 if it is unknown.
    init(_ number: Int32) {
        self.number = number
        processorTime = Self.look(at: number)?.processorTime
    }

    /// Measures the time since the last check.
    ///
    /// - Parameter elapsed: the time since the last check by the wall clock, which is the result if
    ///   the system does not report the thread's state.
    /// - Returns: the time since the last check by this clock.
    mutating func pass(_ elapsed: Duration) -> Duration {
        let before = processorTime
        guard let seen = Self.look(at: number) else { return elapsed }
        processorTime = seen.processorTime
        guard seen.isHeldUp, let before else { return elapsed }
        return min(elapsed, seen.processorTime - before)
    }

    struct Look: Equatable {
        /// Whether the thread runs, is ready to run, or waits for a disk.
        let isHeldUp: Bool
        let processorTime: Duration

        /// - Parameter status: the contents of the thread's `stat` file in `/proc`.
        init?(status: String) {
            // The name of the thread may contain spaces, so fields are counted from the end of the
            // name.
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
