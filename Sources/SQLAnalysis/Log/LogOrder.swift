/// A queue that restores the order of the log although threads are interleaved: a record waits
/// until all earlier records are complete.
struct LogOrder {
    private var waiting: [LogRecord] = []
    private var room = Self.roomMin

    /// The minimum number of records to sort together.
    private static let roomMin = 512

    /// Whether enough records are in the queue to sort and emit them.
    var isFull: Bool { waiting.count >= room }

    mutating func add(_ record: LogRecord) { waiting.append(record) }

    mutating func give(before place: Int, _ give: (LogRecord) -> Void) {
        waiting.sort { $0.order < $1.order }
        let end = waiting.firstIndex { $0.order >= place } ?? waiting.count
        waiting[..<end].forEach(give)
        waiting.removeFirst(end)
        room = max(Self.roomMin, 2 * waiting.count)
    }
}
