import Foundation
import LabFiles
import Yams

/// A node of a workload file with its position.
///
/// The reader requests a mapping, a list or a scalar. If the node is of another kind, it throws an
/// error with line and column.
struct YAMLTree {
    let file: String
    let node: Node

    static func read(_ file: String) throws(InputError) -> YAMLTree {
        let bytes: [UInt8]
        do throws(FileProblem) {
            bytes = try InputFile.bytes(at: file)
        } catch {
            throw InputError(
                file: file, problem: error.what,
                remedy: "name a workload file (YAML) that exists and is readable")
        }
        return try parse(Data(bytes), file: file)
    }

    static func parse(_ bytes: Data, file: String) throws(InputError) -> YAMLTree {
        guard let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") else {
            throw InputError(
                file: file, line: 1, column: 1, problem: "the file is not UTF-8 text",
                remedy: "write a workload as a YAML text in UTF-8")
        }
        do throws(YAMLBounds.Excess) { try YAMLBounds.check(text) } catch {
            throw InputError(
                file: file, line: error.line, column: error.column, problem: error.problem.what,
                remedy: error.problem.instead)
        }
        do {
            guard let node = try Yams.compose(yaml: text) else {
                throw InputError(
                    file: file, line: 1, column: 1, problem: "the file is empty",
                    remedy: "write `name:`, `about:` and `operation:`")
            }
            return YAMLTree(file: file, node: node)
        } catch let error as InputError {
            throw error
        } catch {
            throw syntaxError(error, file: file)
        }
    }

    private static func syntaxError(_ error: any Error, file: String) -> InputError {
        let remedy = "write valid YAML"
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return InputError(
                file: file, line: mark.line, column: mark.column, problem: problem, remedy: remedy)
        case .duplicatedKeysInMapping(let duplicates, let context):
            return InputError(
                file: file, line: context.mark.line, column: context.mark.column,
                problem: "the key `\(duplicates.joined(separator: "`, `"))` is written twice",
                remedy: "keep one of them")
        default:
            return InputError(
                file: file, line: 1, column: 1, problem: "the file is not YAML", remedy: remedy)
        }
    }

    /// An error at the position of this node, or `offset` characters into its plain text.
    func error(_ problem: String, _ remedy: String, offset: Int = 0) -> InputError {
        InputError(
            file: file, line: node.mark?.line ?? 1, column: (node.mark?.column ?? 1) + offset,
            problem: problem, remedy: remedy)
    }

    func mapping(_ what: String) throws(InputError) -> [(key: YAMLTree, value: YAMLTree)] {
        guard case .mapping(let mapping) = node else {
            throw error("\(what) is not a mapping", "write `key: value` lines")
        }
        return mapping.map { key, value in
            (YAMLTree(file: file, node: key), YAMLTree(file: file, node: value))
        }
    }

    func text(_ what: String) throws(InputError) -> String {
        guard case .scalar(let scalar) = node, !scalar.string.isEmpty else {
            throw error("\(what) is not a text", "write one value here")
        }
        return scalar.string
    }

    /// The elements of a list; this node itself if it is not a list.
    var elements: [YAMLTree] {
        guard case .sequence(let sequence) = node else { return [self] }
        return sequence.map { YAMLTree(file: file, node: $0) }
    }

    /// The number of characters before the text of a scalar: 1 for a quotation mark.
    var textOffset: Int {
        guard case .scalar(let scalar) = node else { return 0 }
        return scalar.style == .singleQuoted || scalar.style == .doubleQuoted ? 1 : 0
    }
}
