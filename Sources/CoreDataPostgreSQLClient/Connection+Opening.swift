import CPostgreSQL
import Foundation

extension Connection {
    /// Opens a connection within the time limit.
    static func open(
        _ address: ServerAddress, _ options: Options, _ library: Library
    ) throws(ServerError) -> OpaquePointer {
        try checkOptions(address, library)
        let pq = library.table
        // libpq reads the address as the database's name. The values behind it have priority.
        let parameters = [
            ("fallback_application_name", options.applicationName),
            ("dbname", address.connectionText), ("client_encoding", "UTF8"),
        ]
        guard
            let handle = withStrings(
                parameters,
                { keywords, values in pq.pointee.PQconnectStartParams(keywords, values, 1) })
        else { throw ServerError(client: "no memory is left for a connection") }
        do throws(ServerError) {
            try finishOpening(handle, address, options, library)
        } catch {
            pq.pointee.PQfinish(handle)
            throw error
        }
        return handle
    }

    private static func finishOpening(
        _ handle: OpaquePointer, _ address: ServerAddress, _ options: Options, _ library: Library
    ) throws(ServerError) {
        let pq = library.table
        let limit = address.openingMilliseconds ?? options.openingMilliseconds
        let deadline = Deadline(milliseconds: limit)
        _ = pq.pointee.PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        guard pq.pointee.PQstatus(handle) != CONNECTION_BAD else {
            throw openingError(handle, address, library)
        }
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            let wanted =
                state == PGRES_POLLING_READING
                ? CPOSTGRESQL_READABLE : CPOSTGRESQL_WRITABLE
            let ready = cpostgresql_wait(
                pq.pointee.PQsocket(handle), -1, wanted, deadline.millisecondsLeft)
            guard ready != 0 else {
                throw ServerError(
                    lost: "the server of \(address) did not answer within \(limit) milliseconds;"
                        + " check that it runs and can be reached, or raise connect_timeout")
            }
            state = pq.pointee.PQconnectPoll(handle)
            if state == PGRES_POLLING_FAILED {
                throw openingError(handle, address, library)
            }
        }
        _ = pq.pointee.PQsetnonblocking(handle, 1)
    }

    /// The error of a connection that was not opened.
    private static func openingError(
        _ handle: OpaquePointer, _ address: ServerAddress, _ library: Library
    ) -> ServerError {
        let pq = library.table
        let problem = OpeningProblem(
            pq.pointee.PQerrorMessage(handle).map { String(cString: $0) } ?? "")
        var text = "no connection to \(address): \(address.redacted(problem.reason))"
        if pq.pointee.PQconnectionNeedsPassword(handle) != 0 {
            text += "; set PGPASSWORD, or add the password to the file .pgpass"
        }
        var error = ServerError(lost: text)
        error.sqlState = problem.state
        return error
    }

    /// Lets libpq check the names and values of the address's options.
    private static func checkOptions(
        _ address: ServerAddress, _ library: Library
    ) throws(ServerError) {
        var problem: UnsafeMutablePointer<CChar>?
        let options = library.table.pointee.PQconninfoParse(address.connectionText, &problem)
        defer { library.table.pointee.PQconninfoFree(options) }
        guard let problem else { return }
        let reason = address.redacted(ServerError.oneLine(String(cString: problem)))
        library.table.pointee.PQfreemem(problem)
        throw ServerError(
            client: "the address \(address) cannot be read: \(reason); write"
                + " \(ServerAddress.form), with \(ServerAddress.ownNamesText) as options of the"
                + " store, or with options of libpq")
    }
}

/// libpq reports the server's error code for a refused connection only as a part of a text, after
/// the word for the severity: `FATAL:  3D000: …`. The last line names a line of the server's
/// sources.
private struct OpeningProblem {
    let reason: String
    let state: String

    init(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).filter {
            $0.firstMatch(of: /, \w+\.[cly]:[0-9]+$/) == nil
        }
        let found = lines.joined(separator: "\n").matches(of: #/:  ([0-9A-Z]{5}): /#).last
        state = found.map { String($0.1) } ?? "08001"
        reason = ServerError.oneLine(
            lines.joined(separator: "\n").replacing(#/:  [0-9A-Z]{5}: /#, with: ": "))
    }
}

/// Calls the body with arrays of C strings that end with a null pointer.
private func withStrings<T>(
    _ pairs: [(String, String)],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> T
) -> T {
    let copies = pairs.map { (strdup($0.0), strdup($0.1)) }
    defer {
        for (keyword, value) in copies {
            free(keyword)
            free(value)
        }
    }
    let keywords = copies.map { UnsafePointer($0.0) } + [nil]
    let values = copies.map { UnsafePointer($0.1) } + [nil]
    return keywords.withUnsafeBufferPointer { keywords in
        values.withUnsafeBufferPointer { values in
            // Safe: the arrays are not empty.
            body(keywords.baseAddress!, values.baseAddress!)
        }
    }
}
