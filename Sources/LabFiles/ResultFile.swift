import Foundation

/// A result that commands save as a file.
package protocol SavedResult: Codable {
    static var kind: ResultKind { get }
}

/// Reads and writes result files. They contain JSON with sorted keys and end with a newline.
package enum ResultFile {
    private struct Probe: Decodable {
        var header: Header

        struct Header: Decodable {
            var kind: String
            var formatVersion: Int
        }
    }

    /// The contents of a result file. Equal results have equal contents.
    package static func text(_ result: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(result), as: UTF8.self) + "\n"
    }

    /// Reads the kind of a result file.
    ///
    /// - Throws: an ``InputError`` if the file is not a result file or has another version.
    package static func kind(of data: Data, file: String) throws(InputError) -> ResultKind {
        guard let probe = try? JSONDecoder().decode(Probe.self, from: data),
            let kind = ResultKind(rawValue: probe.header.kind)
        else {
            let isJSON = (try? JSONSerialization.jsonObject(with: data)) != nil
            throw InputError(
                file: file,
                problem: isJSON
                    ? "this is not a result file of faultline"
                    : "this is not JSON, or only a part of it",
                remedy: "name a JSON file that run, matrix, bench or gate wrote")
        }
        guard probe.header.formatVersion == kind.formatVersion else {
            throw InputError(
                file: file,
                problem: "format version \(probe.header.formatVersion) of \(kind.rawValue)",
                remedy: "this tool reads version \(kind.formatVersion); write the file again")
        }
        return kind
    }

    /// Reads a result file of one kind; returns nil if the file is of another kind.
    ///
    /// - Throws: an ``InputError`` if the bytes are not a result file, or are of another version.
    package static func read<Result: SavedResult>(
        _ type: Result.Type, from data: Data, file: String
    ) throws(InputError) -> Result? {
        guard try kind(of: data, file: file) == Result.kind else { return nil }
        do { return try JSONDecoder().decode(Result.self, from: data) } catch {
            throw InputError(
                file: file,
                problem: "the \(Result.kind.rawValue) does not fit its schema (\(place(error)))",
                remedy: "see `./faultline schema`, or write the file again")
        }
    }

    private static func place(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            "\(path(context)): no '\(key.stringValue)'"
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            "\(path(context)): \(context.debugDescription)"
        default: "\(error)"
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        let keys = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        return keys.isEmpty ? "the top" : keys.joined(separator: ".")
    }
}
