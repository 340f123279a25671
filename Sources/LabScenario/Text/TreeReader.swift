import LabFiles
import Yams

/// Parses the bytes of a YAML file into a tree. No other file uses the YAML library. Every error of
/// the library becomes a problem with a position.
enum TreeReader {
    static func read(_ bytes: [UInt8], problems: ProblemList) throws(ScenarioProblems) -> Tree {
        guard let text = decode(bytes, problems: problems) else {
            throw ScenarioProblems(problems.problems)
        }
        do throws(YAMLBounds.Excess) { try YAMLBounds.check(text) } catch {
            problems.add(
                error.problem.what, at: SourcePosition(line: error.line, column: error.column),
                instead: error.problem.instead)
            throw ScenarioProblems(problems.problems)
        }
        let node: Node?
        do {
            let parser = try Parser(yaml: text, resolver: .basic)
            node = try parser.nextRoot()
            if let second = try parser.nextRoot() {
                // A file may contain only one document, because later documents would be ignored
                // silently.
                problems.add(
                    "the file contains a second document", at: second.mark.position,
                    instead: "put each scenario into its own file")
            }
        } catch {
            throw ScenarioProblems([YAMLFailure.problem(error, file: problems.file)])
        }
        try problems.throwIfAny()
        guard let node else {
            problems.add(
                "the file is empty", at: .start,
                instead: "start it with 'name:', 'about:', 'model:' and 'sessions:'")
            throw ScenarioProblems(problems.problems)
        }
        return Conversion(text: text).tree(node)
    }

    private static func decode(_ bytes: [UInt8], problems: ProblemList) -> String? {
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {
            problems.add(
                "the file is empty", at: .start,
                instead: "start it with 'name:', 'about:', 'model:' and 'sessions:'")
            return nil
        }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            problems.add(
                "the file is not UTF-8 text", at: firstBadByte(bytes),
                instead: "save the file as UTF-8, or name a scenario file")
            return nil
        }
        return text
    }

    /// The position of the first byte that is not valid UTF-8.
    private static func firstBadByte(_ bytes: [UInt8]) -> SourcePosition {
        let repaired = String(decoding: bytes, as: UTF8.self)
        var position = SourcePosition.start
        for scalar in repaired.unicodeScalars {
            if scalar == "\u{FFFD}" || scalar == "\0" { return position }
            position =
                scalar == "\n"
                ? SourcePosition(line: position.line + 1, column: 1)
                : SourcePosition(line: position.line, column: position.column + 1)
        }
        return position
    }
}

private struct Conversion {
    let finder: TextOriginFinder

    init(text: String) {
        finder = TextOriginFinder(text: text)
    }

    func tree(_ node: Node, placeInBrackets place: Int? = nil) -> Tree {
        let position = node.mark.position
        switch node {
        case .scalar(let scalar):
            let style: TextOriginFinder.Style =
                switch scalar.style {
                case .singleQuoted: .singleQuoted
                case .doubleQuoted: .doubleQuoted
                case .literal, .folded: .block
                default: .plain
                }
            let origin = finder.origin(of: scalar.string, style: style, start: position)
            return Tree(
                .scalar(
                    .init(
                        text: scalar.string, isPlain: style == .plain, origin: origin,
                        placeInBrackets: style == .plain ? place : nil)), at: position)
        case .sequence(let sequence):
            let isInBrackets = sequence.count > 1 && finder.opensBrackets(at: position)
            let items = sequence.enumerated().map { index, node in
                tree(node, placeInBrackets: isInBrackets ? index : nil)
            }
            return Tree(.list(items), at: position)
        case .mapping(let mapping):
            let isInBrackets = mapping.count > 1 && finder.opensBrackets(at: position)
            var map: [Tree.Entry] = []
            for (key, value) in mapping {
                let name = key.scalar?.string ?? "?"
                let value = tree(value, placeInBrackets: isInBrackets ? map.count : nil)
                map.append(.init(key: Located(name, at: key.mark.position), value: value))
            }
            return Tree(.map(map), at: position)
        case .alias:
            return Tree(.map([]), at: position)
        }
    }
}

private enum YAMLFailure {
    static func problem(_ error: any Error, file: String) -> ScenarioProblem {
        func make(_ what: String, _ mark: Mark?, _ instead: String) -> ScenarioProblem {
            ScenarioProblem(
                file: file, position: mark.position, what: what, instead: instead)
        }
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            let hint =
                problem.contains("mapping values")
                ? "put the text in quotes if it contains ': '"
                : "check indentation, quotes and brackets of the YAML"
            return make("this is not YAML: \(problem)", mark, hint)
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.map { "'\($0)'" }.joined(separator: ", ")
            return make(
                "the key \(names) appears here twice", context.mark,
                "give each key its own name")
        case .reader(let problem, _, _, _):
            return make(
                "this is not YAML: \(problem)", nil, "remove control characters from the file")
        default:
            return make("this is not YAML: \(error)", nil, "check the syntax of the file")
        }
    }
}

extension Optional<Mark> {
    fileprivate var position: SourcePosition {
        guard let mark = self else { return .start }
        return SourcePosition(line: max(1, mark.line), column: max(1, mark.column))
    }
}
