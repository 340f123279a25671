extension String {
    /// A name without what separates the steps of a token.
    var tokenWord: String {
        String(map { $0 == " " || $0 == "." || $0 == ":" || $0 == "*" ? "-" : $0 })
    }
}
