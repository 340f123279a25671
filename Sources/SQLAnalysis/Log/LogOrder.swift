/// Records that are done, until those that stand before them in the log are done, too.
///
/// The assembly gives records through it, so that what threads did beside each other is seen in the
/// order in which it was logged.
struct LogOrder {
    private var waiting: [LogRecord] = []
    private var room = Self.roomMin

    /// How many are sorted at once.
    private static let roomMin = 512

    /// Whether it is worth while to see what can be given.
    var isFull: Bool { waiting.count >= room }

    mutating func add(_ record: LogRecord) { waiting.append(record) }

    /// Gives what stands before a place of the log.
    mutating func give(before place: Int, _ give: (LogRecord) -> Void) {
        waiting.sort { $0.order < $1.order }
        let end = waiting.firstIndex { $0.order >= place } ?? waiting.count
        waiting[..<end].forEach(give)
        waiting.removeFirst(end)
        room = max(Self.roomMin, 2 * waiting.count)
    }
}
