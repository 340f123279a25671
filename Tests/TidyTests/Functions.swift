/// A function in code without comments and strings.
struct Function {
    let name: String
    /// The index of the line with the keyword.
    let first: Int
    /// The index of the line with the closing brace.
    let last: Int
}

enum Functions {
    private static let keywords: Set<String> = ["func", "init", "deinit", "subscript"]

    static func all(in file: SourceFile) -> [Function] {
        file.code.indices.compactMap { index in
            guard let keyword = keyword(file.code[index]) else { return nil }
            return body(file, from: index, keyword: keyword)
        }
    }

    /// The declared name, and the column after the keyword.
    private static func keyword(_ line: String) -> (name: String, column: Int)? {
        let words = line.split(separator: " ")
        for (position, word) in words.enumerated() {
            let head = word.prefix { $0.isLetter }
            if keywords.contains(String(head)) {
                guard head == "func" || position == 0 || isModifier(words[position - 1])
                else { return nil }
                let next = head == "func" && position + 1 < words.count ? words[position + 1] : word
                let column = line.distance(from: line.startIndex, to: word.startIndex)
                return (String(next.prefix { $0 != "(" && $0 != "<" }), column + head.count)
            }
            guard isModifier(word) else { return nil }
        }
        return nil
    }

    private static func isModifier(_ word: Substring) -> Bool {
        word.hasPrefix("@") || word.allSatisfy { $0.isLowercase || "()".contains($0) }
    }

    private static func body(
        _ file: SourceFile, from start: Int, keyword: (name: String, column: Int)
    ) -> Function? {
        var parentheses = 0
        var braces = 0
        var isFirst = true
        for index in start..<file.code.count {
            let line = file.code[index]
            if !isFirst, braces == 0, parentheses == 0, self.keyword(line) != nil { return nil }
            for character in isFirst ? line.dropFirst(keyword.column) : Substring(line) {
                switch character {
                case "(", "[": parentheses += 1
                case ")", "]": parentheses -= 1
                case "{" where parentheses == 0 || braces > 0: braces += 1
                case "}" where parentheses == 0 || braces > 0:
                    braces -= 1
                    if braces < 0 { return nil }
                    if braces == 0 {
                        return Function(name: keyword.name, first: start, last: index)
                    }
                default: break
                }
            }
            isFirst = false
        }
        return nil
    }
}
