// Owns splitting blanked code into identifiers and finding declared types; several rules ask it.

enum Words {
    static func of(_ line: String) -> [String] {
        var words: [String] = []
        var current = ""
        for character in line.unicodeScalars {
            let isPart =
                ("a"..."z").contains(character) || ("A"..."Z").contains(character)
                || ("0"..."9").contains(character) || character == "_"
            if isPart {
                current.unicodeScalars.append(character)
            } else if !current.isEmpty {
                words.append(current)
                current = ""
            }
        }
        if !current.isEmpty { words.append(current) }
        return words
    }
}

enum Types {
    private static let keywords: Set<String> = [
        "class", "struct", "enum", "protocol", "actor", "typealias",
    ]

    /// The names of types declared at the top of a file, extensions left out.
    static func declared(in file: SourceFile) -> [String] {
        named(in: file, keywords: keywords)
    }

    /// The names of types that a file declares or extends.
    static func declaredOrExtended(in file: SourceFile) -> [String] {
        named(in: file, keywords: keywords.union(["extension"]))
    }

    private static func named(in file: SourceFile, keywords: Set<String>) -> [String] {
        var names: [String] = []
        for line in file.code where !line.hasPrefix(" ") {
            let words = Words.of(line)
            guard let keyword = words.firstIndex(where: keywords.contains),
                keyword + 1 < words.count, !line.hasPrefix("}"), !line.hasPrefix("func")
            else { continue }
            names.append(words[keyword + 1])
        }
        return names
    }
}
