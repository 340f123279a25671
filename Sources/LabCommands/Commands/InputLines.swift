import Glibc

/// The lines that a user types, with one system call for each piece.
///
/// It does not use `readLine()`, which waits inside the C library, where the thread sanitizer
/// defers signals for ever.
struct InputLines {
    private var waiting: [UInt8] = []

    /// The next line without its end; nil at the end of the input.
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

    /// The rest of the input, because the last line may lack its end.
    private mutating func rest() -> String? {
        if waiting.isEmpty { return nil }
        defer { waiting = [] }
        return String(decoding: waiting, as: UTF8.self)
    }
}
