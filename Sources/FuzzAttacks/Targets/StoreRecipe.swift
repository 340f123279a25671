import CoreDataSQLite
import Foundation

/// Damage to the bytes of a SQLite database as lines of text: `sql STATEMENT`, `patch OFFSET HEX`,
/// `cut LENGTH`.
///
/// Unlike a damaged file, such a recipe is small, readable and easy to shrink. Statements that
/// SQLite refuses are skipped.
struct StoreRecipe {
    let lines: [Substring]

    init(_ input: [UInt8]) {
        lines = String(decoding: input, as: UTF8.self).split(separator: "\n")
    }

    func applied(to image: [UInt8]) throws(SQLiteError) -> [UInt8] {
        var image = image
        let statements = lines.filter { $0.hasPrefix("sql ") }.map { $0.dropFirst(4) }
        if !statements.isEmpty {
            let connection = try Connection(.memory)
            try connection.replace(with: image)
            for text in ["PRAGMA foreign_keys = OFF", "PRAGMA writable_schema = ON"] + statements {
                // A recursive statement could take hours.
                guard !text.uppercased().contains("RECURSIVE") else { continue }
                _ = try? connection.execute(String(text))
            }
            image = try connection.makeImage()
        }
        for line in lines where !line.hasPrefix("sql ") { apply(line, to: &image) }
        return image
    }

    private func apply(_ line: Substring, to image: inout [UInt8]) {
        let words = line.split(separator: " ")
        guard words.count >= 2, let number = Int(words[1]), number >= 0 else { return }
        switch words[0] {
        case "cut": image = Array(image.prefix(number))
        case "patch":
            let digits = words.count > 2 ? Array(words[2].utf8) : []
            for place in 0..<digits.count / 2 where number + place < image.count {
                let pair = String(decoding: digits[place * 2..<place * 2 + 2], as: UTF8.self)
                if let byte = UInt8(pair, radix: 16) { image[number + place] = byte }
            }
        default: break
        }
    }
}

/// Generates recipes.
struct RecipeSource: FuzzSource {
    private static let tables = [
        "ZITEM", "ZOWNER", "ZTAG", "Z_1TAGS", "Z_2ITEMS", "Z_PRIMARYKEY", "Z_METADATA",
        "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "sqlite_schema",
        "sqlite_stat1",
    ]
    private static let columns = [
        "Z_PK", "Z_ENT", "Z_OPT", "ZNAME", "ZSIZE", "ZSMALL", "ZRATIO", "ZWEIGHT", "ZPRICE",
        "ZISNEW", "ZADDED", "ZBYTES", "ZMARK", "ZLINK", "ZOWNER", "Z_FOK_OWNER", "Z_FOK_ITEMS",
        "ZDEPTH", "Z_MAX", "Z_NAME", "Z_SUPER", "Z_VERSION", "Z_UUID", "Z_PLIST", "Z_CONTENT",
        "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS", "ZTIMESTAMP",
        "ZAUTHORTS", "ZAUTHOR", "ZBUNDLEIDTS", "ZPROCESSIDTS", "ZCONTEXTNAMETS", "ZQUERYGEN",
        "ZTOMBSTONE0", "sql", "rootpage", "type", "name", "tbl_name", "rowid",
    ]
    private static let values = [
        "NULL", "0", "-1", "1", "2", "3", "255", "65536", "2147483648", "9223372036854775807",
        "-9223372036854775808", "281474976710656", "1.5", "-0.0", "9e999", "-9e999", "1e300",
        "'nan'", "''", "'text'", "'12.5'", "x''", "x'00'", "x'00ff'", "x'ff'", "zeroblob(9)",
        "zeroblob(70000)", "CAST(x'ff00c3' AS TEXT)", "CAST(x'610062' AS TEXT)", "'Item'",
        "'F0A17110-0000-4000-8000-00000000F022'", "printf('%.*c', 9000, 'x')", "char(0x1F468)",
        "'not a url %%% '", "randomblob(16)",
    ]
    let imageSize: Int

    var plain: [UInt8] { [] }

    func input(_ random: inout FuzzRandom) -> [UInt8] {
        let lines = (0...random.small(5)).map { _ in line(&random) }
        return Array(lines.joined(separator: "\n").utf8)
    }

    private func line(_ random: inout FuzzRandom) -> String {
        let table = random.pick(Self.tables)
        let column = random.pick(Self.columns)
        let value = random.pick(Self.values)
        switch random.below(20) {
        case 0...8: return "sql UPDATE \(table) SET \(column) = \(value)\(condition(&random))"
        case 9: return "sql DELETE FROM \(table)\(condition(&random))"
        case 10:
            let other = random.pick(Self.columns)
            return "sql INSERT OR REPLACE INTO \(table) (\(column), \(other)) VALUES"
                + " (\(value), \(random.pick(Self.values)))"
        case 11:
            return "sql INSERT OR IGNORE INTO \(table) SELECT * FROM \(random.pick(Self.tables))"
        case 12: return "sql ALTER TABLE \(table) DROP COLUMN \(column)"
        case 13: return "sql ALTER TABLE \(table) RENAME COLUMN \(column) TO X\(random.below(9))"
        case 14: return random.oneIn(3) ? "sql DROP TABLE \(table)" : schema(table, column, &random)
        case 15: return schema(table, column, &random)
        case 16: return "sql UPDATE \(table) SET \(column) = \(random.pick(Self.columns))"
        case 17: return random.oneIn(4) ? "cut \(random.below(imageSize))" : patch(&random)
        default: return patch(&random)
        }
    }

    private func condition(_ random: inout FuzzRandom) -> String {
        random.oneIn(2) ? "" : " WHERE rowid = \(1 + random.below(4))"
    }

    private func schema(
        _ table: String, _ column: String, _ random: inout FuzzRandom
    ) -> String {
        let words = [
            "VARCHAR", "INTEGER", "PRIMARY KEY", "TIMESTAMP", "BLOB", "TABLE", "UNIQUE", column,
        ]
        let change = "replace(sql, '\(random.pick(words))', '\(random.pick(words))')"
        return "sql UPDATE sqlite_schema SET sql = \(change) WHERE tbl_name = '\(table)'"
    }

    private func patch(_ random: inout FuzzRandom) -> String {
        // Most patches change the file's header or page headers, because damage to rows has less
        // effect.
        let page = 4_096 * random.below(max(1, imageSize / 4_096))
        let offset = random.oneIn(3) ? random.below(imageSize) : page + random.below(120)
        let bytes = (0...random.small(4)).map { _ in
            let digits = String(random.oneIn(3) ? 255 : random.byte(), radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        return "patch \(offset) \(bytes.joined())"
    }
}
