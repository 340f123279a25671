import CoreDataPostgreSQLClient
import Foundation
import PostgreSQLTestSupport
import Testing

@Suite(.needsPostgreSQL) struct NumericTests {
    private let database: TestDatabase
    private let connection: Connection

    init() throws {
        database = try TestServer.shared().makeDatabase()
        connection = try database.connect()
    }

    /// Sends numbers as one array, and returns them and their texts in the server.
    private func echo(_ values: [Decimal]) throws -> QueryResult {
        let parameters = Parameters()
        parameters.beginArray(of: .numeric)
        for value in values { parameters.append(numeric: value) }
        parameters.endArray()
        return try connection.execute(
            "SELECT n, n::text FROM unnest($1) WITH ORDINALITY AS a(n, i) ORDER BY i", parameters)
    }

    private static let largest = "340282366920938463463374607431768211455"

    @Test(arguments: [
        "0", "1", "-1", "0.1", "1.5", "-0.0001", "9999", "10000", "10001", "99999999", "100000000",
        "1e127", "-1e127", "1e-128", "-1e-127", "123456789012345678901234567890.12345678",
        "99999999999999999999999999999999999999", "18446744073709551615", "18446744073709551616",
        largest, "-\(largest)e127", "\(largest)e-128", "0.00010001",
    ])
    func `a decimal keeps its value`(_ text: String) throws {
        let value = try #require(Decimal(string: text))
        let result = try echo([value])
        #expect(result[0, 0].decimal == value)
        #expect(result[0, 0].decimal?.description == value.description)
        #expect(Decimal(string: result[0, 1].text) == value)
        // The server writes the same digits; Decimal is not used to compare them.
        #expect(trimmed(result[0, 1].text) == trimmed(value.description))
    }

    /// A number as text without zeros at the end of its fraction.
    private func trimmed(_ text: String) -> Substring {
        guard text.contains(".") else { return text[...] }
        let end = text.lastIndex { $0 != "0" } ?? text.startIndex
        return text[end] == "." ? text[..<end] : text[...end]
    }

    @Test func `random decimals keep their values`() throws {
        var generator = SystemRandomNumberGenerator()
        var values: [Decimal] = []
        for _ in 0..<5_000 {
            let (low, high): (UInt64, UInt64) = (generator.next(), generator.next())
            let bits = UInt128(low) | UInt128(high) << 64
            let mantissa = bits >> UInt128(Int.random(in: 0...128, using: &generator))
            let exponent = Int.random(in: -128...127, using: &generator)
            let sign: FloatingPointSign = Bool.random(using: &generator) ? .minus : .plus
            let significand = try #require(Decimal(string: "\(mantissa)"))
            values.append(Decimal(sign: sign, exponent: exponent, significand: significand))
        }
        let result = try echo(values)
        for (row, value) in values.enumerated() {
            let text = result[row, 1].text
            guard result[row, 0].decimal == value, trimmed(text) == trimmed(value.description)
            else {
                Issue.record("\(value) became \(text)")
                return
            }
        }
        #expect(result.rowCount == values.count)
    }

    @Test func `a decimal that is not a number keeps this property`() throws {
        let result = try echo([.nan])
        #expect(result[0, 0].decimal?.isNaN == true)
        #expect(result[0, 1].text == "NaN")
    }

    @Test(arguments: [
        "'Infinity'", "'-Infinity'", "340282366920938463463374607431768211456", "1e200", "1e-129",
        "0.1000000000000000000000000000000000000000000000001",
    ])
    func `a number that no decimal can represent is not read`(_ text: String) throws {
        let result = try connection.execute("SELECT \(text)::numeric")
        #expect(result[0, 0].decimal == nil)
        #expect(!result[0, 0].isNull)
    }

    @Test(arguments: [
        ("1.500000", "1.5"), ("1e165", "1e127"), ("100.00", "100"), ("0.000", "0"),
        ("-0", "0"), ("12345e140", "12345e127"),
    ])
    func `numbers with other forms are read`(_ sql: String, _ text: String) throws {
        var expected = try #require(Decimal(string: text))
        if sql.contains("e1") {
            // The string initialiser of Decimal only reads exponents up to 127.
            let exponent = try #require(Int(sql.split(separator: "e")[1]))
            expected *= pow(Decimal(10), exponent - 127)
        }
        let result = try connection.execute("SELECT \(sql)::numeric")
        #expect(result[0, 0].decimal == expected)
    }
}
