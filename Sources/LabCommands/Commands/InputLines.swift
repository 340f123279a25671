import Glibc

/// The lines that somebody types, one read of the system for each piece.
///
/// Not `readLine()`: it waits inside of the C library, where the thread sanitizer holds a signal
/// back for ever.
struct InputLines {
    private var waiting: [UInt8] = []

    /// The next line without its end; nil where no more can come.
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

    /// A last line may have no end.
    private mutating func rest() -> String? {
        if waiting.isEmpty { return nil }
        defer { waiting = [] }
        return String(decoding: waiting, as: UTF8.self)
    }
}
