extension String {
    /// The text without the prefix; unchanged if it does not begin with the prefix.
    public func dropping(prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
