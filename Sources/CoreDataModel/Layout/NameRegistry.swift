/// The names taken in one namespace of an SQLite file: tables, the columns of one table.
///
/// Core Data gives a later name that is taken the suffix 1, 2, … (`ZACCOUNTID1`).
struct NameRegistry {
    private var taken: Set<String>

    init(reserved: Set<String> = []) { taken = reserved }

    /// The name, or the name with the first free suffix; taken from now on.
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
