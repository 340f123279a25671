/// Writes Tests/CONFORMANCE.md. It lists the tests or the deviation for each statement about the
/// behaviour of Core Data. Marks above the tests name the statements.
struct ConformancePage {
    static let path = "Tests/CONFORMANCE.md"

    let statements: Statements
    private let proofs: [String: [Proof]]
    private let markViolations: [Violation]
    private let all: [Proof]
    private let tests: [SourceFile]

    init(list: SourceFile, tests: [SourceFile]) {
        statements = Statements(list)
        self.tests = tests
        let read = tests.map(ProofMarks.read)
        all = read.flatMap(\.proofs)
        proofs = Dictionary(grouping: all, by: \.statement)
        markViolations = read.flatMap(\.violations)
    }

    // MARK: Rules

    /// Statements without a test, marks that name no statement, and unknown deviations.
    func violations(register: SourceFile) -> [Violation] {
        let known = Set(statements.all.map(\.id))
        let entries = register.lines.filter { $0.hasPrefix("## D-") }.map {
            String($0.dropFirst(3).prefix(5))
        }
        let file = statements.file
        let strangers = all.filter { !known.contains($0.statement) }.compactMap { proof in
            tests.first { $0.path == proof.path }?.violation(
                proof.index, "proof", "\(proof.statement) is not in \(file.path)")
        }
        let bare = statements.all.compactMap { statement -> Violation? in
            let isProved = proofs[statement.id] != nil
            switch statement.declared {
            case .proved where !isProved:
                return file.violation(
                    statement.index, "statement", "\(statement.id) has neither test nor deviation")
            case .deviates(let id) where !entries.contains(id):
                return file.violation(
                    statement.index, "statement", "\(id) has no entry in \(register.path)")
            case .open where isProved:
                return file.violation(
                    statement.index, "statement", "\(statement.id) has a test: remove [open]")
            case .proved, .deviates, .open: return nil
            }
        }
        return statements.violations + markViolations + strangers + bare
    }

    // MARK: Text

    var markdown: String {
        var lines = [
            "# Conformance", "",
            "The behaviour of Core Data, statement by statement, and the tests that show it. A:",
            "Apple says so. M: measured on Apple's framework. Written from `Tests/Statements.txt`",
            "and the `// Proves` lines above the tests; `FAULTLINE_REFRESH=1 ./test --filter",
            "TidyTests` updates it.",
            "",
        ]
        lines += summary
        for section in statements.sections {
            lines += ["", "## \(section.title)", "", "| | | Statement | Shown by |"]
            lines.append("| --- | --- | --- | --- |")
            lines += section.statements.map(row)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var summary: [String] {
        var proved = 0
        var deviating = 0
        var open = 0
        for statement in statements.all {
            switch statement.declared {
            case .proved: proved += 1
            case .deviates: deviating += 1
            case .open: open += 1
            }
        }
        var text = "\(statements.all.count) statements: \(proved) shown by tests, "
        text += "\(deviating) with a deviation"
        return [text + (open == 0 ? "." : ", \(open) open.")]
    }

    private func row(_ statement: Statement) -> String {
        var shown = (proofs[statement.id] ?? []).map { "`\($0.test)`" }
        switch statement.declared {
        case .deviates(let id): shown.insert("[\(id)](../DEVIATIONS.md)", at: 0)
        case .open: shown.append("open")
        case .proved: break
        }
        let cells = [
            statement.id, statement.confidence, statement.wording, shown.joined(separator: ", "),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
