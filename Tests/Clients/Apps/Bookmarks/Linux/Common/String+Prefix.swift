extension String {
    /// The text without the prefix, if it has it.
    public func dropping(prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
