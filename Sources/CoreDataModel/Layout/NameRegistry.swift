/// The names in use in one namespace of an SQLite file: the tables, or the columns of one table.
///
/// Core Data appends 1, 2, … to a later name that is already in use (`ZACCOUNTID1`).
struct NameRegistry {
    private var taken: Set<String>

    init(reserved: Set<String> = []) { taken = reserved }

    /// The name, or the name with the first free suffix; the result is in use from now on.
    mutating func take(_ name: String) -> String {
        var candidate = name
        var suffix = 0
        while !taken.insert(candidate.uppercased()).inserted {
            suffix += 1
            candidate = "\(name)\(suffix)"
        }
        return candidate
    }
}
