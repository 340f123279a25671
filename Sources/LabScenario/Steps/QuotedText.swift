/// Tells which scalars of a condition stand in quotes. The query parser asks it for each in turn,
/// so that what a text says is not taken for a clause or a variable.
struct QuotedText {
    private var quote: Unicode.Scalar?
    private var isEscaped = false

    /// Whether the next scalar belongs to a quoted text, its quotes included.
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
