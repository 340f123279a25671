/// A schedule as text: `lab1:<scenario name>@<hash8>:<matrix cell>:<named steps>`.
///
/// The steps are separated by dots. They are names, so a token keeps its meaning if an unrelated
/// step is added to its file.
package struct ScheduleToken: Sendable, Hashable, CustomStringConvertible {
    package static let version = "lab1"

    package let scenario: String
    /// Eight hexadecimal digits of the hash of the token's file.
    package let hash: String
    /// The label of the matrix cell; `-` without parameters.
    package let cell: String
    package let steps: [String]

    package init(scenario: String, hash: String, cell: String, steps: [String]) {
        self.scenario = scenario
        self.hash = hash
        self.cell = cell
        self.steps = steps
    }

    package var description: String {
        "\(Self.version):\(scenario)@\(hash):\(cell):\(steps.joined(separator: "."))"
    }

    package struct Malformed: Error, Sendable, CustomStringConvertible {
        package let what: String
        package let instead: String

        package var description: String { "\(what); \(instead)" }
    }

    /// Reads a token. Steps may be separated by dots or spaces. An arrow may also be written as
    /// `->` or `>`.
    package init(_ text: String) throws(Malformed) {
        let form = "a token looks like lab1:NAME@0123abcd:CELL:STEP.STEP"
        guard let colon = text.firstIndex(of: ":") else {
            throw Malformed(what: "'\(text)' is not a token", instead: form)
        }
        guard text[..<colon] == Self.version else {
            throw Malformed(
                what: "the token starts with '\(text[..<colon])'",
                instead: "only tokens of version \(Self.version) can be replayed")
        }
        let rest = text[text.index(after: colon)...]
        guard let nameEnd = rest.firstIndex(of: ":"), let stepsStart = rest.lastIndex(of: ":"),
            nameEnd < stepsStart
        else { throw Malformed(what: "the token has too few parts", instead: form) }
        let name = rest[..<nameEnd].split(separator: "@", omittingEmptySubsequences: false)
        guard name.count == 2, !name[0].isEmpty, name[1].count == 8,
            name[1].allSatisfy(\.isHexDigit)
        else {
            throw Malformed(
                what: "the token's scenario is '\(rest[..<nameEnd])'",
                instead: "write NAME@ and the eight digits of its file")
        }
        scenario = String(name[0])
        hash = String(name[1])
        cell = String(rest[rest.index(after: nameEnd)..<stepsStart])
        steps = rest[rest.index(after: stepsStart)...]
            .split { $0 == "." || $0.isWhitespace }
            .map { ScheduleToken.canonical(String($0)) }
        if cell.isEmpty { throw Malformed(what: "the token names no cell", instead: form) }
    }

    /// Converts a delivery's name to its standard spelling.
    package static func canonical(_ step: String) -> String {
        guard step.hasPrefix("~") else { return step }
        // Only the first arrow is converted, because a second arrow is part of a name.
        guard let place = step.firstIndex(where: { $0 == ">" || $0 == "→" }), step[place] == ">"
        else { return step }
        let isLong = place > step.startIndex && step[step.index(before: place)] == "-"
        let source = isLong ? step[..<place].dropLast() : step[..<place]
        let target = step[step.index(after: place)...]
        return source.isEmpty || target.isEmpty ? step : "\(source)→\(target)"
    }
}
