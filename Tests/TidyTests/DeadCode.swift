/// Finds declarations that no code names and parameters that no code reads. The rule compares words
/// and not meanings. Every reported declaration is dead, but some dead ones are not reported.
struct DeadCode {
    private let files: [SourceFile]
    /// The number of occurrences of each word in all files.
    private let uses: [String: Int]
    private let functions: [String: Int]

    /// - Parameter files: all files that could use declarations of the sources.
    init(_ files: [SourceFile]) {
        self.files = files.filter { $0.isSource && $0.isSwift }
        let words = files.lazy.flatMap { $0.code.lazy.flatMap(Words.of) }
        uses = Dictionary(words.map { ($0, 1) }, uniquingKeysWith: +)
        functions = Dictionary(
            self.files.flatMap(\.code).compactMap { Declaration($0) }.map { ($0.name, 1) },
            uniquingKeysWith: +)
    }

    // MARK: Declarations

    /// Finds declarations that are not public and that no other line names.
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

    /// The names of members that libraries call.
    private static let witnesses: Set<String> = [
        "allValueStrings", "archiverDidFinish", "archiverWillFinish", "customMirror",
        "unarchiverDidFinish", "unarchiverWillFinish",
    ]

    private struct Declaration {
        let name: String
        let isFunction: Bool
        /// Whether code outside of the sources can use the declaration. It is public, an override,
        /// or has an attribute.
        let isForOthers: Bool

        private static let modifiers: Set<Substring> = [
            "package", "private", "fileprivate", "static", "final", "mutating", "nonmutating",
            "lazy", "weak", "class", "nonisolated", "borrowing", "consuming", "convenience",
        ]
        private static let forOthers: Set<Substring> = ["public", "open", "override"]

        /// The result is nil for a variable that a condition or a pattern declares.
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

    /// Finds parameters that a function does not read. Functions with the same name are not
    /// checked, because a protocol may require the parameter.
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

    /// The names of the parameters in the body, and the body.
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
                // A parameter with a metatype can select a generic type without being read.
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
