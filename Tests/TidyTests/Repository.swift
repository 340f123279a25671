import Foundation

/// The files that the rules read, loaded once for each test run.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The files, sorted by path.
    static let files: [SourceFile] = load()

    static let swift = files.filter(\.isSwift)
    static let sources = swift.filter(\.isSource)
    static let tests = swift.filter(\.isTest)

    private static let folders = [
        "Sources", "Tests", "Plugins", "Examples", "Scripts", "Scenarios", "Workloads",
        "Decisions", "Reports", ".ci",
    ]
    private static let endings: Set<String> = [
        "swift", "c", "h", "md", "yaml", "yml", "json", "html", "txt", "sh", "",
    ]

    private static func load() -> [SourceFile] {
        var found: [SourceFile] = []
        for url in top() + folders.flatMap(below) {
            guard endings.contains(url.pathExtension),
                let text = try? String(contentsOf: url, encoding: .utf8)
            else { continue }
            let path = url.standardizedFileURL.path
                .dropFirst(root.standardizedFileURL.path.count + 1)
            found.append(SourceFile(path: String(path), text: text))
        }
        return found.sorted { $0.path < $1.path }
    }

    private static func top() -> [URL] {
        let all = try? FileManager.default.contentsOfDirectory(
            at: root, includingPropertiesForKeys: [.isRegularFileKey])
        return (all ?? []).filter { isFile($0) }
    }

    private static func below(_ folder: String) -> [URL] {
        let start = root.appendingPathComponent(folder)
        let walker = FileManager.default.enumerator(
            at: start, includingPropertiesForKeys: [.isRegularFileKey])
        return (walker?.compactMap { $0 as? URL } ?? []).filter { isFile($0) }
    }

    private static func isFile(_ url: URL) -> Bool {
        (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false
    }
}
