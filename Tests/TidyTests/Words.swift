/// Splits code without comments and strings into identifiers.
enum Words {
    static func of(_ line: String) -> [String] { places(in: line).map(\.word) }

    /// The words of a line, each with the bytes before and after it. A byte is nil at an end of the
    /// line.
    static func places(in line: String) -> [(word: String, before: UInt8?, after: UInt8?)] {
        let bytes = Array(line.utf8)
        var found: [(word: String, before: UInt8?, after: UInt8?)] = []
        var index = 0
        while index < bytes.count {
            guard isPart[Int(bytes[index])] else {
                index += 1
                continue
            }
            let start = index
            while index < bytes.count, isPart[Int(bytes[index])] { index += 1 }
            found.append(
                (
                    String(decoding: bytes[start..<index], as: UTF8.self),
                    start > 0 ? bytes[start - 1] : nil, index < bytes.count ? bytes[index] : nil
                ))
        }
        return found
    }

    /// Whether a byte can be part of a word.
    private static let isPart: [Bool] = (0...UInt8.max).map { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

enum Types {
    private static let keywords: Set<String> = [
        "class", "struct", "enum", "protocol", "actor", "typealias",
    ]

    /// The names of the types at the top of a file, without extensions.
    static func declared(in file: SourceFile) -> [String] {
        named(in: file, keywords: keywords)
    }

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
