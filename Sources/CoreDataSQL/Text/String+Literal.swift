extension String {
    /// The string as an SQL literal.
    package var sqlLiteral: String { "'\(replacing("'", with: "''"))'" }
}
