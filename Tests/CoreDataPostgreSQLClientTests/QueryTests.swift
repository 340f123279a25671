import CoreDataPostgreSQLClient
import Foundation
import PostgreSQLTestSupport
import Testing

@Suite(.needsPostgreSQL) struct QueryTests {
    @Test func `a statement returns rows with its parameters`() throws {
        let connection = try TestServer.shared().makeDatabase().connect()
        let parameters = Parameters()
        parameters.append(int8: 7)
        try parameters.append(text: "héé")
        let result = try connection.execute("SELECT $1 + 1, $2 || '!'", parameters)
        #expect(result.rowCount == 1)
        #expect(result[0, 0].integer == 8)
        #expect(result[0, 1].text == "héé!")
    }
}
