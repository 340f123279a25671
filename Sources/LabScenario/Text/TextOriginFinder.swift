/// Maps the characters of a YAML scalar to positions in the file. It handles quotes, escapes and
/// folded lines. If the mapping fails, only the position of the scalar's start is known.
struct TextOriginFinder {
    private let lines: [[Unicode.Scalar]]

    init(text: String) {
        lines = text.unicodeScalars
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in line.last == "\r" ? Array(line.dropLast()) : Array(line) }
    }

    /// Whether a list or a mapping in brackets begins here.
    func opensBrackets(at position: SourcePosition) -> Bool {
        guard lines.indices.contains(position.line - 1) else { return false }
        let first = lines[position.line - 1].dropFirst(position.column - 1).first
        return first == "[" || first == "{"
    }

    enum Style { case plain, singleQuoted, doubleQuoted, block }

    func origin(of text: String, style: Style, start: SourcePosition) -> TextOrigin {
        let found: [SourcePosition]? =
            switch style {
            case .plain: follow(text, from: start, step: plainStep)
            case .singleQuoted: follow(text, from: start.after(1), step: singleQuotedStep)
            case .doubleQuoted: follow(text, from: start.after(1), step: doubleQuotedStep)
            case .block: followBlock(text, from: start)
            }
        return TextOrigin(positions: found ?? [], start: start)
    }

    /// How many characters in the file form the next character of the scalar; nil if the file and
    /// the scalar differ.
    private typealias StepLength = (Unicode.Scalar, ArraySlice<Unicode.Scalar>) -> Int?

    private func follow(
        _ text: String, from start: SourcePosition, step: StepLength
    ) -> [SourcePosition]? {
        var positions: [SourcePosition] = []
        var at = start
        for wanted in text.unicodeScalars {
            guard at.line <= lines.count else { return nil }
            let line = lines[at.line - 1]
            let rest = line.dropFirst(at.column - 1)
            if let length = step(wanted, rest) {
                positions.append(at)
                at.column += length
            } else if wanted == " ", rest.allSatisfy({ $0 == " " }), at.line < lines.count {
                // A folded line break is one space of the scalar.
                positions.append(at)
                let indent = lines[at.line].prefix { $0 == " " }.count
                at = SourcePosition(line: at.line + 1, column: indent + 1)
            } else {
                return nil
            }
        }
        return positions
    }

    private func plainStep(_ wanted: Unicode.Scalar, _ rest: ArraySlice<Unicode.Scalar>) -> Int? {
        guard rest.first == wanted else { return nil }
        return wanted == " " && rest.allSatisfy { $0 == " " } ? nil : 1
    }

    private func singleQuotedStep(
        _ wanted: Unicode.Scalar, _ rest: ArraySlice<Unicode.Scalar>
    ) -> Int? {
        if wanted == "'" { return rest.starts(with: ["'", "'"]) ? 2 : nil }
        return rest.first == wanted ? 1 : nil
    }

    private func doubleQuotedStep(
        _ wanted: Unicode.Scalar, _ rest: ArraySlice<Unicode.Scalar>
    ) -> Int? {
        guard rest.first == "\\" else { return rest.first == wanted ? 1 : nil }
        switch rest.dropFirst().first {
        case "x": return 4
        case "u": return 6
        case "U": return 10
        case .some: return 2
        case .none: return nil
        }
    }

    /// In a `|` or `>` block, the scalar starts on the next line that is not empty.
    private func followBlock(_ text: String, from start: SourcePosition) -> [SourcePosition]? {
        guard start.line < lines.count else { return nil }
        let first = lines[start.line]
        let indent = first.prefix { $0 == " " }.count
        var positions: [SourcePosition] = []
        var at = SourcePosition(line: start.line + 1, column: indent + 1)
        for wanted in text.unicodeScalars {
            guard at.line <= lines.count else { return positions }
            let line = lines[at.line - 1]
            positions.append(at)
            if at.column - 1 < line.count, line[at.column - 1] == wanted {
                at.column += 1
            } else if wanted == "\n" || wanted == " " {
                at = SourcePosition(line: at.line + 1, column: indent + 1)
            } else {
                return nil
            }
        }
        return positions
    }
}

extension SourcePosition {
    fileprivate func after(_ columns: Int) -> SourcePosition {
        SourcePosition(line: line, column: column + columns)
    }
}
