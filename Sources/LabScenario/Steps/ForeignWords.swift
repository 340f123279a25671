/// Words of other languages that users might write into steps, such as `create`. The parser's
/// messages suggest a replacement for each word.
enum ForeignWords {
    static let verbs = [
        "then": "leave it out, as in 'if NAME STATEMENT'",
        "else": "write another statement, 'unless NAME STATEMENT'",
        "create": "write 'insert ENTITY as NAME with KEY = VALUE'",
        "update": "write 'set OBJECT.KEY = VALUE'",
        "assert": "read the value under 'observe:', and name it under 'outcomes:'",
        "expect": "read the value under 'observe:', and name it under 'outcomes:'",
        "sleep": "leave the statement out: the lab runs every order of steps without waiting",
    ]

    /// The suggested replacement for a condition that is not only a name, such as `if a.n > 3`.
    static func condition(_ word: String, _ name: String, _ scanner: inout LineScanner) -> String {
        var keys: [String] = []
        while scanner.take(".") {
            guard case .word(let key)? = try? scanner.next() else { break }
            keys.append(key)
        }
        let path = ([name] + keys).joined(separator: ".")
        if let comparison = comparison(&scanner) {
            let key = keys.isEmpty ? "KEY" : keys.joined(separator: ".")
            return "count the rows first: 'count ENTITY where \(key) \(comparison) -> found;"
                + " \(word) found STATEMENT'"
        }
        return keys.isEmpty
            ? "write '\(word) \(name) STATEMENT'"
            : "read the value first: 'read \(path) -> seen; \(word) seen STATEMENT'"
    }

    private static func comparison(_ scanner: inout LineScanner) -> String? {
        var signs = ""
        while case .sign(let sign)? = try? scanner.peek(), "<>=!".contains(sign) {
            signs += sign
            _ = try? scanner.next()
        }
        if signs.isEmpty { return nil }
        switch try? scanner.next() {
        case .integer(let integer): return "\(signs) \(integer)"
        case .number(let number): return "\(signs) \(number)"
        case .text(let text): return "\(signs) \"\(text)\""
        default: return "\(signs) VALUE"
        }
    }
}

extension ObjectPath {
    /// The new value of `PATH += VALUE` and similar assignments. Without an operator, the value
    /// itself.
    func combined(_ sign: String?, with value: StepValue) -> StepValue {
        switch sign {
        case "+": .sum(.path(self), value)
        case "-": .difference(.path(self), value)
        case "*": .product(.path(self), value)
        default: value
        }
    }
}
