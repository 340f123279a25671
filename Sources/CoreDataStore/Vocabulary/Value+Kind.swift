import CoreDataModel

extension Value {
    /// Whether a slot of the given kind can hold the value. Reading a value of another kind would
    /// access memory outside the row.
    package func fits(_ kind: ValueKind) -> Bool {
        switch (self, kind) {
        case (.null, _), (.integer, .integer16), (.integer, .integer32), (.integer, .integer64),
            (.integer, .boolean), (.double, .double), (.double, .float), (.double, .date),
            (.string, .string), (.string, .uri), (.data, .binary), (.uuid, .uuid),
            (.decimal, .decimal), (.reference, .toOne):
            true
        default: false
        }
    }
}
