extension String {
    /// The string without the prefix, or the unchanged string if it lacks the prefix.
    public func dropping(prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
