/// Writes the text of a statement with `?` for its values, single spaces and short lists.
/// Statements that differ only in values have the same text.
enum ShapeText {
    static func write(_ tokens: [SQLToken]) -> String {
        let tokens = shorten(valueless(tokens))
        var text = ""
        for (index, token) in tokens.enumerated() {
            let previous = index > 0 ? tokens[index - 1] : nil
            if let previous, needsSpace(previous, token) { text += " " }
            switch token {
            case .word(let word): text += word
            case .constant(let value): text += value
            case .literal, .parameter: text += "?"
            case .symbol(let symbol): text += symbol
            }
        }
        return text
    }

    /// Replaces values. Also removes the number from names such as `_Z_intarray0`, which differs
    /// between statements.
    private static func valueless(_ tokens: [SQLToken]) -> [SQLToken] {
        tokens.map { token in
            switch token {
            case .literal: return .parameter
            case .word(let word) where word.hasPrefix("_Z_intarray"): return .word("_Z_intarray")
            default: return token
            }
        }
    }

    /// Shortens `(?, ?, ?)` to `(?, …)`, and removes all but the first group of values.
    private static func shorten(_ tokens: [SQLToken]) -> [SQLToken] {
        var result: [SQLToken] = []
        var index = 0
        while index < tokens.count {
            result.append(tokens[index])
            index += 1
            guard result.last?.isSymbol("(") == true, let end = endOfList(tokens, from: index)
            else { continue }
            result += end - index > 1 ? [.parameter, .symbol(","), .symbol("…")] : [.parameter]
            result.append(.symbol(")"))
            index = end + 1
            while index + 1 < tokens.count, tokens[index].isSymbol(","),
                tokens[index + 1].isSymbol("("), let next = endOfList(tokens, from: index + 2)
            {
                index = next + 1
            }
        }
        return result
    }

    /// The index of the bracket that closes a list of parameters; nil if the list contains anything
    /// else.
    private static func endOfList(_ tokens: [SQLToken], from start: Int) -> Int? {
        var index = start
        while index < tokens.count, tokens[index] == .parameter || tokens[index].isSymbol(",") {
            index += 1
        }
        return index > start && index < tokens.count && tokens[index].isSymbol(")") ? index : nil
    }

    private static func needsSpace(_ previous: SQLToken, _ token: SQLToken) -> Bool {
        if token.isSymbol(",") || token.isSymbol(")") || token.isSymbol(".")
            || token.isSymbol(";")
        {
            return false
        }
        if previous.isSymbol("(") || previous.isSymbol(".") { return false }
        if token.isSymbol("("), let word = previous.word { return SQLText.isKeyword(word) }
        return true
    }
}
