/// Finding declarations that nothing names and parameters that nothing reads. Words are
/// compared, not meanings: what is told is dead, and some of what is dead is not told.
struct DeadCode {
    private let files: [SourceFile]
    /// How often each word stands in the code of all files.
    private let uses: [String: Int]
    /// How many functions have each name.
    private let functions: [String: Int]

    /// - Parameter files: everything that could use what the sources declare.
    init(_ files: [SourceFile]) {
        self.files = files.filter { $0.isSource && $0.isSwift }
        let words = files.lazy.flatMap { $0.code.lazy.flatMap(Words.of) }
        uses = Dictionary(words.map { ($0, 1) }, uniquingKeysWith: +)
        functions = Dictionary(
            self.files.flatMap(\.code).compactMap { Declaration($0) }.map { ($0.name, 1) },
            uniquingKeysWith: +)
    }

    // MARK: Declarations

    /// Members, constants and functions that no other place names. What is public is for others.
    func declarations() -> [Violation] {
        files.flatMap { file in
            file.code.indices.compactMap { index in
                guard let found = Declaration(file.code[index]), !found.isForOthers,
                    uses[found.name] == 1, !Self.witnesses.contains(found.name)
                else { return nil }
                return file.violation(index, "dead", "remove \(found.name), which nothing names")
            }
        }
    }

    /// What libraries ask for by name.
    private static let witnesses: Set<String> = [
        "allValueStrings", "archiverDidFinish", "archiverWillFinish", "unarchiverDidFinish",
        "unarchiverWillFinish",
    ]

    private struct Declaration {
        let name: String
        let isFunction: Bool
        /// Public, an override, or asked for by an attribute.
        let isForOthers: Bool

        private static let modifiers: Set<Substring> = [
            "package", "private", "fileprivate", "static", "final", "mutating", "nonmutating",
            "lazy", "weak", "class", "nonisolated", "borrowing", "consuming", "convenience",
        ]
        private static let forOthers: Set<Substring> = ["public", "open", "override"]

        /// What a line of code declares with `func`, `let` or `var`; nil for what a body declares
        /// as part of a condition or a pattern.
        init?(_ line: String) {
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(where: { ["func", "let", "var"].contains($0) }),
                place + 1 < words.count
            else { return nil }
            let before = words[..<place]
            guard
                before.allSatisfy({
                    Self.modifiers.contains($0) || Self.forOthers.contains($0)
                        || $0.hasPrefix("@") || $0.hasSuffix("(set)") || $0.hasSuffix("(unsafe)")
                })
            else { return nil }
            name = String(words[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
            guard !name.isEmpty, name != "_" else { return nil }
            isFunction = words[place] == "func"
            isForOthers = before.contains {
                Self.forOthers.contains($0)
                    || $0.hasPrefix("@") && !$0.hasPrefix("@inlin")
                        && !$0.hasPrefix("@exclusivity") && !$0.hasPrefix("@discardable")
            }
        }
    }

    // MARK: Parameters

    /// Parameters that the only function of a name does not read. One of several functions of a
    /// name may be what a protocol asks for.
    func parameters() -> [Violation] {
        files.flatMap { file in
            Functions.all(in: file).flatMap { function -> [Violation] in
                let head = file.code[function.first]
                guard let declared = Declaration(head), declared.isFunction, !declared.isForOthers,
                    functions[declared.name] == 1
                else { return [] }
                let (parameters, body) = Self.parts(
                    file.code[function.first...function.last].joined(separator: "\n"))
                let read = Set(Words.of(body))
                return parameters.filter { !read.contains($0) }.map {
                    file.violation(
                        function.first, "dead-parameter",
                        "remove the parameter \($0) of \(declared.name), which nothing reads")
                }
            }
        }
    }

    /// The names of a function's parameters, as its body knows them, and the body.
    private static func parts(_ text: String) -> (names: [String], body: String) {
        guard let open = text.firstIndex(of: "(") else { return ([], text) }
        var depth = 0
        var names: [String] = []
        var label = ""
        var isLabel = true
        var index = open
        while index < text.endIndex {
            let character = text[index]
            switch character {
            case "(", "[", "<", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case ">" where !label.hasSuffix("-") && text[text.index(before: index)] != "-":
                depth -= 1
            case "," where depth == 1: (label, isLabel) = ("", true)
            case ":" where depth == 1 && isLabel:
                let rest = text[index...].prefix(40)
                // A metatype says what the function is about.
                if let name = Words.of(label).last, name != "_", !rest.contains(".Type") {
                    names.append(name)
                }
                isLabel = false
            default: if isLabel { label.append(character) }
            }
            if depth == 0 { break }
            index = text.index(after: index)
        }
        guard index < text.endIndex else { return ([], text) }
        return (names, String(text[index...]))
    }
}
