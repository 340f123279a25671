import CYardstick

/// The SQLite library that both sides use.
package enum SQLiteFacts {
    package static var version: String { String(cString: cb_sqlite_version()) }
    package static var sourceID: String { String(cString: cb_sqlite_source_id()) }

    package static var options: [String] {
        var result: [String] = []
        while let option = cb_sqlite_option(Int32(result.count)) {
            result.append(String(cString: option))
        }
        return result
    }

    package static var line: String {
        let telling = ["DEFAULT_LOOKASIDE", "SECURE_DELETE", "THREADSAFE", "DEFAULT_MMAP_SIZE"]
        let options = options.filter { option in telling.contains { option.hasPrefix($0) } }
        let checkIn = sourceID.split(separator: " ").last.map { $0.prefix(12) } ?? ""
        return ([version, String(checkIn)] + options).joined(separator: " ")
    }
}
