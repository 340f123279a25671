import ContextHistory
import Foundation
import LabFiles

/// Reads the file of a recording.
enum RecordingReading {
    /// A recorder with the default memory writes a few megabytes.
    private static let bytesMax = 1 << 30

    private struct Header: Decodable {
        var format: Int
    }

    /// - Throws: an ``InputError`` with the position and the remedy.
    static func recording(at path: String) throws(InputError) -> Recording {
        try recording(in: try data(at: path), file: path)
    }

    private static func data(at path: String) throws(InputError) -> Data {
        for suffix in [".yaml", ".txt"] where path.hasSuffix(suffix) {
            throw InputError(
                file: path, problem: "this is not a recording but a file next to one",
                remedy: "pass \(path.dropLast(suffix.count)).json")
        }
        do throws(FileProblem) {
            return Data(try InputFile.bytes(at: path, atMost: bytesMax))
        } catch {
            throw InputError(
                file: path, problem: error.what,
                remedy: "pass a JSON file that a recorder wrote next to its scenario")
        }
    }

    /// Reads the contents of a file.
    static func recording(in data: Data, file: String) throws(InputError) -> Recording {
        let remedy = "write the recording again"
        do {
            let header = try JSONDecoder().decode(Header.self, from: data)
            guard header.format == Recording.format else {
                throw InputError(
                    file: file, problem: "the format is \(header.format)",
                    remedy: "this tool reads format \(Recording.format); \(remedy)")
            }
            return try JSONDecoder().decode(RecordingFile.self, from: data).recording()
        } catch let error as InputError {
            throw error
        } catch let error as RecordingError {
            throw InputError(
                file: file, problem: error.description,
                remedy: "correct the value, or \(remedy)")
        } catch let error as DecodingError {
            throw self.error(error, data, file: file)
        } catch {
            throw InputError(file: file, problem: "\(error)", remedy: remedy)
        }
    }

    private static func error(
        _ error: DecodingError, _ data: Data, file: String
    ) -> InputError {
        if case .dataCorrupted(let context) = error, context.codingPath.isEmpty {
            let place = JSONPlace(in: data)
            return InputError(
                file: file, line: place?.line, column: place?.column,
                problem: "this is not JSON, or only a part of it",
                remedy: "pass a JSON file that a recorder wrote next to its scenario")
        }
        return InputError(
            file: file, problem: "\(path(error))",
            remedy: "pass a JSON file that a recorder wrote next to its scenario")
    }

    /// The path of the element and the problem.
    private static func path(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            "\(path(context.codingPath)): the key '\(key.stringValue)' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            "\(path(context.codingPath)): \(context.debugDescription)"
        @unknown default: "\(error)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        if keys.isEmpty { return "the file" }
        return keys.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}

/// The position of a syntax error in JSON.
private struct JSONPlace {
    let line: Int
    let column: Int

    /// Reads the text again, because the description of this error has the error's offset. A
    /// decoder's error does not have it.
    init?(in data: Data) {
        guard let offset = Self.offset(in: data) else { return nil }
        let before = data.prefix(offset)
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
    }

    private static func offset(in data: Data) -> Int? {
        do {
            _ = try JSONSerialization.jsonObject(with: data)
            return nil
        } catch {
            let text = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
            if text.contains("end of file") { return data.count }
            return text.firstMatch(of: /character (\d+)/).flatMap { Int($0.1) }
        }
    }
}
