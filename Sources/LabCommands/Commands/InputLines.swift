import Glibc

/// Reads lines from standard input.
///
/// It does not call `readLine()`. While that waits inside the C library, the thread sanitizer
/// delivers no signals.
struct InputLines {
    private var waiting: [UInt8] = []

    /// The next line without its line break; nil at the end of the input.
    mutating func next() -> String? {
        while true {
            if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
                defer { waiting.removeSubrange(...end) }
                return String(decoding: waiting[..<end], as: UTF8.self)
            }
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return rest() }
            waiting += piece.prefix(count)
        }
    }

    /// The last line, if the input does not end with a line break.
    private mutating func rest() -> String? {
        if waiting.isEmpty { return nil }
        defer { waiting = [] }
        return String(decoding: waiting, as: UTF8.self)
    }
}
