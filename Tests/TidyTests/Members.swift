/// Finds declarations and uses of members by name, in code without comments and strings.
enum Members {
    private static let keywords: Set<String> = ["func", "var", "let", "case"]

    static func globals(in file: SourceFile) -> [String] {
        file.code.filter { !$0.hasPrefix(" ") }.flatMap(names)
    }

    /// The members of all types and extensions of a file, without those of nested types.
    static func declared(in file: SourceFile) -> [String] {
        file.code.filter { indentation($0) == 4 }.flatMap(names)
    }

    /// The names of all declarations, including parameters and lists of cases or constants.
    static func everyName(in file: SourceFile) -> Set<String> {
        var found: Set<String> = []
        for line in file.code {
            let declared = names(line)
            found.formUnion(declared)
            if line.utf8.contains(UInt8(ascii: ":")) {
                for part in line.split(separator: ":", omittingEmptySubsequences: false).dropLast()
                {
                    if let parameter = Words.of(String(part)).last { found.insert(parameter) }
                }
            }
            let isList = line.allSatisfy { $0.isLetter || $0.isNumber || $0 == " " || $0 == "," }
            guard isList || !declared.isEmpty else { continue }
            for part in line.split(separator: ",") {
                let words = Words.of(String(part))
                if let listed = isList ? words.last : words.first { found.insert(listed) }
            }
        }
        return found
    }

    /// The names after a dot or before a parenthesis, without names of the standard library or
    /// Foundation.
    static func used(in line: String) -> [String] {
        Words.places(in: line).filter { _, before, after in
            before == UInt8(ascii: ".") || after == UInt8(ascii: "(")
        }.map(\.word).filter { !common.contains($0) }
    }

    private static func names(_ line: String) -> [String] {
        // An enum may be declared with all its cases on one line.
        if let brace = line.firstIndex(of: "{"), line[brace...].hasPrefix("{ case ") {
            return names(String(line[brace...].dropFirst(2)))
        }
        let words = Words.of(line)
        guard let place = words.firstIndex(where: keywords.contains), place + 1 < words.count,
            words[..<place].allSatisfy({ $0.first?.isLowercase == true })
        else { return [] }
        guard words[place] == "case" else { return [words[place + 1]] }
        var depth = 0
        var cases = ""
        for character in line {
            if character == "(" { depth += 1 }
            if depth == 0 { cases.append(character) }
            if character == ")" { depth -= 1 }
        }
        return cases.split(separator: ",").compactMap { part in
            Words.of(String(part)).first { $0 != "case" && $0 != "indirect" }
        }
    }

    private static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }

    private static let common: Set<String> = [
        "deallocate", "delegate", "drop", "element", "elementsEqual", "exchange", "free", "from",
        "last", "newValue", "prefix", "properties", "range", "split", "string", "unlock",
    ]
}
