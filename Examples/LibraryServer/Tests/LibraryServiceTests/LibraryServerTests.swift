import FlyingFox
import Foundation
import LibraryService
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct LibraryServerTests {
    private let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("library-\(UUID().uuidString).sqlite")

    /// Runs the body while a server runs on a free port.
    private func serving(_ body: (String) async throws -> Void) async throws {
        let server = try await LibraryServer.make(try LibraryStore(at: file), port: 0)
        let running = Task { try await server.run() }
        try await server.waitUntilListening()
        guard case .ip4(_, let port)? = await server.listeningAddress else {
            throw URLError(.cannotConnectToHost)
        }
        try await body("http://127.0.0.1:\(port)/books")
        running.cancel()
        for end in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file.path + end)
        }
    }

    private func send(
        _ method: String, _ url: String, _ body: String = ""
    ) async throws -> (status: Int, body: String) {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        if !body.isEmpty { request.httpBody = Data(body.utf8) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = try #require(response as? HTTPURLResponse).statusCode
        return (status, String(decoding: data, as: UTF8.self))
    }

    @Test func `a book is added, lent and given back`() async throws {
        try await serving { books in
            let added = try await send("POST", books, #"{"isbn":"1","title":"Heights"}"#)
            #expect(added.status == 201)
            #expect(try await send("POST", books + "/1/loan", "Ann").status == 204)
            #expect(
                try await send("GET", books).body
                    == #"[{"isbn":"1","lentTo":"Ann","title":"Heights"}]"#)
            #expect(try await send("POST", books + "/1/loan", "Bob").status == 409)
            #expect(try await send("DELETE", books + "/1/loan").status == 204)
            #expect(try await send("POST", books + "/1/loan", "Bob").status == 204)
        }
    }

    @Test func `of readers who ask at once, one gets the book`() async throws {
        try await serving { books in
            _ = try await send("POST", books, #"{"isbn":"1","title":"Heights"}"#)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for reader in 0..<12 {
                    group.addTask {
                        try await send("POST", books + "/1/loan", "reader \(reader)").status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 204 } == 1)
            #expect(statuses.count { $0 == 409 } == 11)
        }
    }

    @Test func `what is wrong with a request is told`() async throws {
        try await serving { books in
            let book = #"{"isbn":"1","title":"Heights"}"#
            let wrong = try await send("POST", books, "no JSON")
            #expect(wrong.status == 400)
            #expect(try await send("POST", books + "/7/loan", "Ann").status == 404)
            #expect(try await send("POST", books, book).status == 201)
            #expect(try await send("POST", books, book).status == 409)
        }
    }
}
