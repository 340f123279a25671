/// The names that are already used in one namespace of an SQLite file: the tables of the file, or
/// the columns of one table.
///
/// Like Core Data, it appends 1, 2, … to a name that is already used (`ZACCOUNTID1`).
struct NameRegistry {
    private var taken: Set<String>

    init(reserved: Set<String> = []) { taken = reserved }

    /// The name, or the name with the first free suffix. The result is registered as used.
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
