import CoreDataPostgreSQLClient
import Foundation
import PostgreSQLTestSupport
import Testing

/// Tests that send values of each kind to the server and read them back.
@Suite(.needsPostgreSQL) struct ValueTests {
    private let database: TestDatabase
    private let connection: Connection

    init() throws {
        database = try TestServer.shared().makeDatabase()
        connection = try database.connect()
    }

    /// Sends a parameter, and returns it together with its text in the server.
    private func echo(
        _ append: (Parameters) throws -> Void
    ) throws -> (result: QueryResult, text: String) {
        let parameters = Parameters()
        try append(parameters)
        let result = try connection.execute("SELECT $1, $1::text", parameters)
        return (result, result[0, 1].text)
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 1 << 40, Int64.max])
    func `integers keep their value`(_ value: Int64) throws {
        let long = try echo { $0.append(int8: value) }
        #expect(long.result[0, 0].integer == value)
        #expect(long.text == "\(value)")
        let middle = Int32(truncatingIfNeeded: value)
        #expect(try echo { $0.append(int4: middle) }.result[0, 0].integer == Int64(middle))
        let short = Int16(truncatingIfNeeded: value)
        #expect(try echo { $0.append(int2: short) }.result[0, 0].integer == Int64(short))
    }

    @Test(arguments: [
        0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .leastNormalMagnitude.nextDown, .greatestFiniteMagnitude, 0.1, 1.0 / 3, .pi,
    ])
    func `doubles keep every bit`(_ value: Double) throws {
        let result = try echo { $0.append(float8: value) }.result
        #expect(result[0, 0].double.bitPattern == value.bitPattern)
    }

    @Test func `a real is read as a double`() throws {
        let result = try connection.execute("SELECT 1.5::real")
        #expect(result[0, 0].double == 1.5)
    }

    @Test(arguments: [
        "", "a", "héé", "👩‍👩‍👧‍👦 🇩🇪", "\u{FEFF}", "a'b\\c\"", "\u{10FFFF}\u{1}\u{7F}", "e\u{301}",
    ])
    func `texts keep their characters`(_ value: String) throws {
        let (result, text) = try echo { try $0.append(text: value) }
        #expect(Array(result[0, 0].text.utf8) == Array(value.utf8))
        #expect(Array(text.utf8) == Array(value.utf8))
        let literal = try connection.firstText("SELECT \(Connection.literal(value))") ?? "missing"
        #expect(Array(literal.utf8) == Array(value.utf8))
        if !value.isEmpty {
            let named = try connection.execute("SELECT 1 AS \(Connection.identifier(value))")
            #expect(Array(named.name(ofColumn: 0).utf8) == Array(value.utf8))
        }
    }

    @Test func `a text with U+0000 is refused before it is sent`() throws {
        let parameters = Parameters()
        let error = #expect(throws: ServerError.self) { try parameters.append(text: "a\0b") }
        #expect(error?.isUnstorableCharacter == true)
        #expect(error?.message.contains("U+0000") == true)
        parameters.removeAll()
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 2, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: [97, 0])
        #expect(throws: ServerError.self) {
            try parameters.append(textBytes: UnsafeRawBufferPointer(bytes))
        }
        #expect(try connection.firstText("SELECT 'usable'") == "usable")
    }

    @Test(arguments: [0, 1, 255, 10_000_000])
    func `bytes keep their values`(_ count: Int) throws {
        let pattern = Data((0..<min(count, 1000)).map { UInt8(truncatingIfNeeded: $0) })
        var data = Data(capacity: count)
        while data.count < count { data += pattern }
        let parameters = Parameters()
        try parameters.append(data: data)
        let result = try connection.execute("SELECT $1, length($1)", parameters)
        #expect(result[0, 0].data == data)
        #expect(result[0, 1].integer == count)
        #expect(!result[0, 0].isNull)
    }

    @Test func `booleans and identifiers keep their values`() throws {
        #expect(try echo { $0.append(bool: true) }.result[0, 0].bool)
        #expect(try !echo { $0.append(bool: false) }.result[0, 0].bool)
        let id = UUID()
        let (result, text) = try echo { $0.append(uuid: id) }
        #expect(result[0, 0].uuid == id)
        #expect(text == id.uuidString.lowercased())
    }

    @Test(arguments: ValueKind.allCases)
    func `NULL of each kind is NULL`(_ kind: ValueKind) throws {
        let parameters = Parameters()
        parameters.append(null: kind)
        let result = try connection.execute("SELECT $1, pg_typeof($1)::text", parameters)
        #expect(result[0, 0].isNull)
        #expect(result[0, 1].text == kind.name)
        #expect(result.type(ofColumn: 0) == kind.rawValue)
        let cell = result[0, 0]
        #expect(cell.integer == 0 && cell.double == 0 && cell.text.isEmpty && !cell.bool)
        #expect(cell.uuid == nil && cell.decimal == nil && cell.elements.isEmpty)
    }

    @Test func `arrays become columns of rows`() throws {
        let parameters = Parameters()
        parameters.append(int8s: [1, 2, 3])
        try parameters.append(texts: ["a", "", "ü"])
        parameters.beginArray(of: .float8)
        parameters.append(float8: 0.5)
        parameters.append(null: .float8)
        parameters.append(float8: -0.0)
        parameters.endArray()
        let result = try connection.execute("SELECT * FROM unnest($1, $2, $3)", parameters)
        #expect((0..<3).map { result[$0, 0].integer } == [1, 2, 3])
        #expect((0..<3).map { result[$0, 1].text } == ["a", "", "ü"])
        #expect((0..<3).map { result[$0, 2].isNull } == [false, true, false])
        #expect(result[2, 2].double.sign == .minus)
    }

    @Test(arguments: ValueKind.allCases)
    func `arrays of each kind are received`(_ kind: ValueKind) throws {
        let parameters = Parameters()
        parameters.beginArray(of: kind)
        parameters.append(null: kind)
        parameters.endArray()
        parameters.beginArray(of: kind)
        parameters.endArray()
        let result = try connection.execute(
            "SELECT $1, cardinality($1), $2, pg_typeof($2)::text", parameters)
        #expect(result[0, 0].elements.map(\.isNull) == [true])
        #expect(result[0, 1].integer == 1)
        #expect(result[0, 2].elements.isEmpty)
        #expect(result[0, 3].text == "\(kind.name)[]")
    }

    @Test func `elements of an array are read`() throws {
        let result = try connection.execute(
            "SELECT '{a,NULL,ccc}'::text[], ARRAY[1, 2]::bigint[]")
        #expect(result[0, 0].elements.map(\.text) == ["a", "", "ccc"])
        #expect(result[0, 0].elements.map(\.isNull) == [false, true, false])
        #expect(result[0, 1].elements.map(\.integer) == [1, 2])
    }

    @Test func `parameters are described for logs`() throws {
        let parameters = Parameters()
        parameters.append(int8: 1)
        try parameters.append(text: "a")
        parameters.append(null: .uuid)
        parameters.append(int8s: [1, 2])
        parameters.append(numeric: Decimal(string: "1.50") ?? 0)
        parameters.append(bool: true)
        parameters.append(float8: 0.5)
        try parameters.append(bytea: UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(
            parameters.descriptions
                == ["1", "\"a\"", "nil", "(2 values)", "1.5", "true", "0.5", "<0 bytes>"])
        #expect(parameters.count == 8)
    }
}
