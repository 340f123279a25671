import CoreDataSQLite
import CoreDataStore
import Foundation
import Testing

@Suite struct SchemaTests {
    @Test func `a new store has Core Data's tables, columns and indexes`() throws {
        let fixture = try StoreFixture()
        #expect(try schema(fixture) == Self.golden)
    }

    @Test func `a new store has its identity and numbers its entities`() throws {
        let fixture = try StoreFixture {
            $0.newStoreIdentifier = "6F2A6D0C-0000-4000-8000-000000000001"
            $0.newStoreMetadata = ["NSStoreModelVersionHashesVersion": 3, "mine": "kept"]
            $0.newStoreModelCache = { Data([1, 2, 3]) }
        }
        let copy = try connection(fixture)
        #expect(
            try list(copy, "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY") == [
                "1|Author|0|0", "2|Book|0|0", "3|Chapter|0|0", "4|Everything|0|0", "5|Medium|0|0",
                "6|Film|5|0", "7|ShortFilm|6|0", "8|Series|5|0", "9|Shelf|0|0", "10|Tag|0|0",
            ])
        #expect(
            try list(copy, "SELECT Z_VERSION, Z_UUID FROM Z_METADATA")
                == ["1|6F2A6D0C-0000-4000-8000-000000000001"])
        #expect(try list(copy, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE") == ["010203"])
        #expect(try list(copy, "PRAGMA auto_vacuum") == ["2"])
        #expect(try list(copy, "PRAGMA encoding") == ["UTF-8"])
        let metadata = fixture.store.metadata
        #expect(metadata["NSStoreType"] as? String == "SQLite")
        #expect(metadata["NSStoreUUID"] as? String == "6F2A6D0C-0000-4000-8000-000000000001")
        #expect(metadata["_NSAutoVacuumLevel"] as? String == "2")
        #expect(metadata["mine"] as? String == "kept")
        #expect(metadata["NSStoreModelVersionHashesVersion"] as? Int == 3)
    }

    @Test func `the plist has no UUID, which has its own column`() throws {
        let fixture = try StoreFixture()
        let copy = try connection(fixture)
        let hex = try #require(try list(copy, "SELECT hex(Z_PLIST) FROM Z_METADATA").first)
        #expect(hex.hasPrefix("62706C6973743030"), "a binary property list")
        #expect(!hex.contains(Data("NSStoreUUID".utf8).map { String(format: "%02X", $0) }.joined()))
    }

    private func connection(_ fixture: StoreFixture) throws -> Connection {
        let connection = try Connection(.memory)
        try connection.replace(with: try fixture.store.makeImage())
        return connection
    }

    private func schema(_ fixture: StoreFixture) throws -> [String] {
        try list(
            try connection(fixture),
            "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid")
    }

    private func list(_ connection: Connection, _ sql: String) throws -> [String] {
        let statement = try connection.statement(sql)
        defer { statement.finish() }
        var rows: [String] = []
        while try statement.step() {
            rows.append(
                (0..<statement.columnCount).map { statement.text($0) }.joined(separator: "|"))
        }
        return rows
    }

    private static let golden = [
        "CREATE TABLE ZAUTHOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZBORN INTEGER, ZNAME VARCHAR )",
        "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZYEAR INTEGER, ZAUTHOR INTEGER, ZPRICE FLOAT, ZISBN VARCHAR, ZTITLE VARCHAR )",
        "CREATE TABLE ZCHAPTER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZBOOK INTEGER, Z_FOK_BOOK INTEGER, ZTITLE VARCHAR )",
        "CREATE TABLE ZEVERYTHING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZBOOL INTEGER, ZINT16 INTEGER, ZINT32 INTEGER, ZINT64 INTEGER, ZDATE TIMESTAMP, "
            + "ZDOUBLE FLOAT, ZFLOAT FLOAT, ZDECIMAL DECIMAL, ZTEXT VARCHAR, ZURI VARCHAR, "
            + "ZUUID BLOB, ZDATA BLOB )",
        "CREATE TABLE ZMEDIUM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "Z9ITEMS INTEGER, Z_FOK_9ITEMS INTEGER, ZMINUTES INTEGER, ZSEASONS INTEGER, "
            + "ZNAME VARCHAR, ZFESTIVAL VARCHAR )",
        "CREATE TABLE ZSHELF ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZFAVORITE INTEGER, Z5_FAVORITE INTEGER, ZLABEL VARCHAR )",
        "CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZNAME VARCHAR )",
        "CREATE TABLE Z_2TAGS ( Z_2BOOKS INTEGER, Z_10TAGS INTEGER, "
            + "PRIMARY KEY (Z_2BOOKS, Z_10TAGS) )",
        "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)",
        "CREATE INDEX ZCHAPTER_ZBOOK_INDEX ON ZCHAPTER (ZBOOK)",
        "CREATE INDEX ZMEDIUM_Z9ITEMS_INDEX ON ZMEDIUM (Z9ITEMS)",
        "CREATE INDEX ZMEDIUM_Z_ENT_INDEX ON ZMEDIUM (Z_ENT)",
        "CREATE INDEX ZSHELF_ZFAVORITE_INDEX ON ZSHELF (ZFAVORITE)",
        "CREATE INDEX Z_2TAGS_Z_10TAGS_INDEX ON Z_2TAGS (Z_10TAGS, Z_2BOOKS)",
        "CREATE UNIQUE INDEX Z_Book_UNIQUE_isbn ON ZBOOK (ZISBN COLLATE BINARY ASC)",
        "CREATE TABLE Z_PRIMARYKEY "
            + "(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA "
            + "(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
}
