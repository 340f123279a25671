import FlyingFox
import Foundation

/// The routes of a library:
///
///     GET    /books             all books as JSON
///     POST   /books             adds the book of the body
///     POST   /books/ISBN/loan   lends it to the reader whose name is the body; 409 if it is lent
///     DELETE /books/ISBN/loan   returns it
public enum LibraryServer {
    public static func make(_ store: LibraryStore, port: UInt16) async throws -> HTTPServer {
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port))
        await server.appendRoute("GET /books") { _ in
            try await answer { .json(try await store.books()) }
        }
        await server.appendRoute("POST /books") { request in
            try await answer {
                let record = try JSONDecoder().decode(
                    BookRecord.self, from: try await request.bodyData)
                try await store.add(record)
                return HTTPResponse(statusCode: .created)
            }
        }
        await server.appendRoute("POST /books/:isbn/loan") { (request, isbn: String) in
            try await answer {
                let reader = String(decoding: try await request.bodyData, as: UTF8.self)
                try await store.lend(isbn, to: reader)
                return HTTPResponse(statusCode: .noContent)
            }
        }
        await server.appendRoute("DELETE /books/:isbn/loan") { (_: HTTPRequest, isbn: String) in
            try await answer {
                try await store.giveBack(isbn)
                return HTTPResponse(statusCode: .noContent)
            }
        }
        return server
    }

    private static func answer(
        _ body: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        do { return try await body() } catch let error as LibraryError {
            return switch error {
            case .noSuchBook: HTTPResponse(statusCode: .notFound)
            case .alreadyLent, .alreadyThere: HTTPResponse(statusCode: .conflict)
            }
        } catch is DecodingError { return HTTPResponse(statusCode: .badRequest) }
    }
}

extension HTTPResponse {
    fileprivate static func json(_ value: some Encodable) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let body = try? encoder.encode(value) else {
            return HTTPResponse(statusCode: .internalServerError)
        }
        return HTTPResponse(
            statusCode: .ok, headers: [.contentType: "application/json"], body: body)
    }
}
