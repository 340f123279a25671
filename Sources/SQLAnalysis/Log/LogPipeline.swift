/// Converts the bytes of a log to lines, lines to entries, and entries to statements.
///
/// The log is processed in chunks, so the memory does not grow with its length.
struct LogPipeline {
    private(set) var assembly = LogAssembly()
    private var splitter = LineSplitter()
    private var reader: LogEntryReader?
    private var head: [[UInt8]] = []
    private var headSize = 0

    private static let headMax = 1 << 20

    var lineCount: Int { reader?.lineCount ?? 0 }
    var otherLineCount: Int { reader?.otherLineCount ?? 0 }
    var entryCount: Int { reader?.entryCount ?? 0 }
    var cutLineCount: Int { splitter.cutLineCount }

    mutating func feed(_ chunk: [UInt8]) -> [LogRecord] {
        var lines: [ArraySlice<UInt8>] = []
        splitter.feed(chunk) { lines.append($0) }
        var records: [LogRecord] = []
        for line in lines { take(line) { records.append($0) } }
        return records
    }

    mutating func finish() -> [LogRecord] {
        var records: [LogRecord] = []
        finish { records.append($0) }
        return records
    }

    private mutating func finish(_ give: (LogRecord) -> Void) {
        var last: [ArraySlice<UInt8>] = []
        splitter.finish { last.append($0) }
        for line in last { take(line, give) }
        startReading(give)
        var entries: [LogEntry] = []
        reader?.finish { entries.append($0) }
        for entry in entries { assembly.take(entry, give) }
        assembly.finish(give)
    }

    private mutating func take(_ line: ArraySlice<UInt8>, _ give: (LogRecord) -> Void) {
        guard reader == nil else { return read(line, give) }
        head.append(Array(line))
        headSize += line.count
        if headSize >= Self.headMax { startReading(give) }
    }

    private mutating func startReading(_ give: (LogRecord) -> Void) {
        guard reader == nil else { return }
        reader = LogEntryReader(head: head)
        for line in head { read(line[...], give) }
        head = []
    }

    private mutating func read(_ line: ArraySlice<UInt8>, _ give: (LogRecord) -> Void) {
        var entries: [LogEntry] = []
        reader?.read(line) { entries.append($0) }
        for entry in entries { assembly.take(entry, give) }
    }
}
