extension String {
    package var sqlLiteral: String { "'\(replacing("'", with: "''"))'" }
}
