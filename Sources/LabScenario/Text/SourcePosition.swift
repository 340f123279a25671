/// A position in a scenario file. Line and column start at 1; columns count Unicode scalars.
package struct SourcePosition: Sendable, Hashable, Comparable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static let start = SourcePosition(line: 1, column: 1)

    package static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A value and its position in the file.
package struct Located<Value: Sendable>: Sendable {
    package var value: Value
    package var position: SourcePosition

    package init(_ value: Value, at position: SourcePosition = .start) {
        self.value = value
        self.position = position
    }
}

extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
