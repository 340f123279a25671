/// The rule about idioms.
///
/// `Tests/Idioms.txt` has a count for each folder. A folder with more idioms fails. A folder with
/// fewer idioms fails until its count is lowered. A count is never raised.
struct ProseRules {
    static let path = "Tests/Idioms.txt"

    private let allowed: [String: Int]
    private let found: [String: [Violation]]

    init(list: String, files: [SourceFile]) {
        var allowed: [String: Int] = [:]
        for line in list.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let count = Int(words[0]) else { continue }
            allowed[String(words[1])] = count
        }
        self.allowed = allowed
        self.found = Dictionary(grouping: files.flatMap(Self.idioms)) { Self.folder($0.path) }
    }

    static func idioms(_ file: SourceFile) -> [Violation] {
        Prose.all(in: file).flatMap { prose in
            Idiom.all(in: prose).map { idiom in
                file.violation(
                    prose.line - 1, "idiom",
                    "the \(prose.kind.rawValue) has '\(idiom.name)': write '\(idiom.remedy)'")
            }
        }
    }

    /// The folder to which a file's idioms count: a module, a top-level folder, or ".".
    private static func folder(_ path: String) -> String {
        let parts = path.split(separator: "/")
        guard parts.count > 1 else { return "." }
        return parts[0] == "Sources" || parts[0] == "Tests"
            ? parts.prefix(2).joined(separator: "/") : String(parts[0])
    }

    /// The idioms of each folder that has more of them than the list permits.
    var violations: [Violation] {
        found.filter { $0.value.count > allowed[$0.key, default: 0] }
            .sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// The list with each count lowered to the number of idioms that are left.
    var lowered: String {
        allowed.sorted { $0.key < $1.key }
            .map { (min($0.value, found[$0.key]?.count ?? 0), $0.key) }
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\n" }.joined()
    }
}
