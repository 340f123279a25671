/// The tables and indexes in a query plan.
struct QueryPlan {
    let lines: [String]

    init(_ lines: [String]) { self.lines = lines }

    /// The tables that are scanned without an index, by the names in the statement: `t0` for `SCAN
    /// t0` and for `SCAN TABLE ZBOOK AS t0`.
    var scans: [String] { lines.compactMap(Self.scanned) }

    /// Whether the rows are sorted in a separate step.
    var sorts: Bool {
        lines.contains { $0.contains("USE TEMP B-TREE FOR") && $0.contains("ORDER BY") }
    }

    /// Whether SQLite searches an index whose name begins with `index`. Reading a whole index is
    /// not a search.
    func searches(by index: String) -> Bool {
        lines.contains { $0.contains("SEARCH") && $0.contains(index) }
    }

    private static func scanned(_ line: String) -> String? {
        let words = line.split(separator: " ").map(String.init)
        guard let start = words.firstIndex(of: "SCAN") else { return nil }
        let rest = words[(start + 1)...].drop { $0 == "TABLE" }
        guard !rest.contains(where: { ["USING", "CONSTANT", "VIRTUAL"].contains($0) }) else {
            return nil
        }
        guard let alias = rest.firstIndex(of: "AS"), alias + 1 < rest.endIndex else {
            return rest.first
        }
        return rest[alias + 1]
    }
}
