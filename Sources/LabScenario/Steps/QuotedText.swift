/// Tracks whether characters of a condition are inside quotes, so that a quoted word is not read as
/// a clause or a variable. The query parser passes each character in order.
struct QuotedText {
    private var quote: Unicode.Scalar?
    private var isEscaped = false

    /// Whether the next character is inside quotes or is a quote itself.
    mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
        guard let quote else {
            guard scalar == "\"" || scalar == "'" else { return false }
            quote = scalar
            return true
        }
        if isEscaped {
            isEscaped = false
        } else if scalar == "\\" {
            isEscaped = true
        } else if scalar == quote {
            self.quote = nil
        }
        return true
    }
}
