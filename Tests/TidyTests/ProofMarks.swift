import Foundation

/// A test, and a statement that it proves.
struct Proof: Hashable, Sendable {
    let statement: String
    let suite: String
    let name: String
    let path: String
    /// The index of the line with the mark.
    let index: Int

    var test: String { "\(suite).\(name)" }
}

enum ProofMarks {
    private static let mark = "// Proves "

    /// Reads the marks above tests. A mark that no test follows is a violation.
    static func read(_ file: SourceFile) -> (proofs: [Proof], violations: [Violation]) {
        var proofs: [Proof] = []
        var violations: [Violation] = []
        for (index, line) in file.lines.enumerated() {
            let text = line.trimmingCharacters(in: .whitespaces)
            guard text.hasPrefix(mark) else { continue }
            let ids = text.dropFirst(mark.count).split { $0 == "," || $0 == " " }.map(String.init)
            guard !ids.isEmpty, ids.allSatisfy(Statements.isID), let name = test(file, below: index)
            else {
                violations.append(
                    file.violation(
                        index, "proof", "write '// Proves S1.1-1, S1.1-2' right above a test"))
                continue
            }
            proofs += ids.map {
                Proof(
                    statement: $0, suite: suite(file, above: index), name: name, path: file.path,
                    index: index)
            }
        }
        return (proofs, violations)
    }

    /// The name of the test that follows. Comments and attributes may precede it.
    private static func test(_ file: SourceFile, below index: Int) -> String? {
        var isAttribute = false
        for line in file.lines[(index + 1)...].prefix(12) {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let start = text.range(of: "func ") {
                let rest = text[start.upperBound...]
                let isTest = isAttribute || text.hasPrefix("@Test") || rest.hasPrefix("test")
                guard isTest else { return nil }
                return rest.hasPrefix("`")
                    ? String(rest.dropFirst().prefix { $0 != "`" })
                    : String(rest.prefix { $0 != "(" })
            }
            if text.hasPrefix("@Test") { isAttribute = true }
            guard isAttribute || text.hasPrefix("//") else { return nil }
        }
        return nil
    }

    /// The last type above the line that is declared at the start of a line.
    private static func suite(_ file: SourceFile, above index: Int) -> String {
        for line in file.code[..<index].reversed() where line.first?.isWhitespace == false {
            let words = Words.of(line)
            if let place = words.firstIndex(where: {
                ["struct", "class", "extension"].contains($0)
            }
            ), place + 1 < words.count {
                return words[place + 1]
            }
        }
        return file.baseName
    }
}
