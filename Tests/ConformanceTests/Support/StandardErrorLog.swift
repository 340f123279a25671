import Foundation

/// Captures the text that is written to standard error while a test runs, including Core Data's SQL
/// log.
final class StandardErrorLog {
    private let url: URL
    private let original: Int32

    /// Begins to capture standard error.
    init() {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("log-\(UUID().uuidString).txt")
        original = dup(STDERR_FILENO)
        let file = open(url.path, O_CREAT | O_RDWR | O_APPEND, 0o600)
        dup2(file, STDERR_FILENO)
        close(file)
    }

    /// Stops capturing standard error.
    func stop() {
        dup2(original, STDERR_FILENO)
        close(original)
        try? FileManager.default.removeItem(at: url)
    }

    /// The lines that were written while the body ran.
    func lines(during body: () throws -> Void) rethrows -> [String] {
        let before = text().utf8.count
        try body()
        let written = Data(text().utf8.dropFirst(before))
        return String(decoding: written, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The SQL statements that the body executed, as the log shows them.
    func statements(during body: () throws -> Void) rethrows -> [String] {
        let prefix = "CoreData: sql: "
        return try lines(during: body).filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
    }

    /// The SELECT statements that the body executed.
    func selects(during body: () throws -> Void) rethrows -> [String] {
        try statements(during: body).filter { $0.hasPrefix("SELECT") }
    }

    private func text() -> String { (try? String(contentsOf: url, encoding: .utf8)) ?? "" }
}
