/// A statement about Core Data. The conformance page lists it.
struct Statement: Sendable {
    enum Standing: Hashable, Sendable {
        case proved
        case deviates(String)
        case open
    }

    let id: String
    /// The source of the statement: `A` for Apple's documentation, `M` for a measurement on Apple's
    /// framework.
    let confidence: String
    let wording: String
    /// The standing in the list, which may be a deviation, or "not implemented yet".
    let declared: Standing
    /// The index of its line.
    let index: Int
}

struct Statements: Sendable {
    struct Section: Sendable {
        let title: String
        var statements: [Statement]
    }

    let file: SourceFile
    private(set) var sections: [Section] = []
    private(set) var violations: [Violation] = []

    var all: [Statement] { sections.flatMap(\.statements) }

    init(_ file: SourceFile) {
        self.file = file
        var ids: Set<String> = []
        for (index, line) in file.lines.enumerated() {
            if line.hasPrefix("# ") {
                sections.append(Section(title: String(line.dropFirst(2)), statements: []))
            } else if !sections.isEmpty, !line.isEmpty {
                guard let statement = Self.statement(line, index),
                    ids.insert(statement.id).inserted
                else {
                    violations.append(
                        file.violation(
                            index, "statement", "write 'S1.1-1 A wording', each id once"))
                    continue
                }
                sections[sections.count - 1].statements.append(statement)
            }
        }
    }

    private static func statement(_ line: String, _ index: Int) -> Statement? {
        let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard parts.count == 3, isID(parts[0]), parts[1] == "A" || parts[1] == "M" else {
            return nil
        }
        var wording = parts[2]
        var declared = Statement.Standing.proved
        if wording.hasSuffix("]"), let open = wording.lastIndex(of: "[") {
            let mark = String(wording[wording.index(after: open)...].dropLast())
            declared = mark == "open" ? .open : .deviates(mark)
            wording = String(wording[..<open].dropLast())
        }
        return Statement(
            id: parts[0], confidence: parts[1], wording: wording, declared: declared, index: index)
    }

    /// Whether a word is an id: S, a section, a hyphen and a number, such as `S1.1-3`.
    static func isID(_ word: String) -> Bool {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].first == "S", Int(parts[1]) != nil else { return false }
        return parts[0].dropFirst().split(separator: ".").allSatisfy { Int($0) != nil }
    }
}
