/// Replacing the scalars that mean something to whoever reads a text. HTML and annotations call
/// it with their own tables.
extension String {
    /// The text with some of its scalars written otherwise.
    ///
    /// - Parameter replacement: what stands for a scalar, or nil to keep it.
    func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
        var escaped = ""
        escaped.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if let replacement = replacement(scalar) {
                escaped += replacement
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
