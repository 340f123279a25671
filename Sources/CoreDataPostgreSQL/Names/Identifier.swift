import Foundation

/// A name of a table or a column on the server.
///
/// A name is quoted only if the server would otherwise read another name. A name of more than 63
/// bytes, which the server would shorten without regard to other names, ends in a hash.
struct Identifier {
    /// The maximum length of a name on the server.
    static let bytesMax = 63

    /// The text in SQL.
    let sql: String

    init(_ name: String) {
        let isPlain =
            name.utf8.first.map(Self.isLetter) == true
            && name.utf8.allSatisfy { Self.isLetter($0) || Self.isDigit($0) }
        sql =
            isPlain && !Self.keywords.contains(name)
            ? name : "\"\(name.replacing("\"", with: "\"\""))\""
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// A name that the server does not shorten.
    static func fitting(_ name: String) -> String {
        guard name.utf8.count > bytesMax else { return name }
        let hash = String(Self.hash(name), radix: 16)
        var start = name
        while start.utf8.count + 1 + hash.utf8.count > bytesMax { start.removeLast() }
        return "\(start)_\(hash)"
    }

    /// The hash FNV-1a with 32 bits, which is the same in each process.
    static func hash(_ text: String) -> UInt32 {
        text.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }

    /// The words that PostgreSQL reserves, at least in some positions.
    private static let keywords: Set<String> = Set(
        """
        all analyse analyze and any array as asc asymmetric authorization between bigint binary bit
        boolean both case cast char character check coalesce collate collation column concurrently
        constraint create cross current_catalog current_date current_role current_schema
        current_time current_timestamp current_user dec decimal default deferrable desc distinct do
        else end except exists extract false fetch float for foreign freeze from full grant greatest
        group grouping having ilike in initially inner inout int integer intersect interval into is
        isnull join lateral leading least left like limit localtime localtimestamp national natural
        nchar none normalize not notnull null nullif numeric offset on only or order out outer
        overlaps overlay placing position precision primary real references returning right row
        select session_user setof similar smallint some substring symmetric system_user table
        tablesample then time timestamp to trailing treat trim true union unique user using values
        varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists
        xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}

/// The names that are in use in a table or in a schema.
struct NamesInUse {
    private var taken: Set<String>

    init(_ reserved: Set<String> = []) { taken = reserved }

    /// Takes the first free name, which may get a number at its end.
    mutating func take(_ candidates: String...) -> String {
        for name in candidates.map(Identifier.fitting) where taken.insert(name).inserted {
            return name
        }
        var number = 1
        while true {
            let name = Identifier.fitting("\(candidates[0])_\(number)")
            if taken.insert(name).inserted { return name }
            number += 1
        }
    }
}
