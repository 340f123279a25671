/// A YAML document as a tree that does not depend on the YAML library. Each node has its position
/// in the file.
package struct Tree: Sendable {
    package indirect enum Content: Sendable {
        case scalar(Scalar)
        case list([Tree])
        case map([Entry])
    }

    /// A scalar with its string value and the position of each character in the file.
    package struct Scalar: Sendable {
        package let text: String
        /// Whether the value is written without quotes, so that `true` and `12` are not strings.
        package let isPlain: Bool
        let origin: TextOrigin
        /// The index of the value in a list or mapping in brackets, where a comma ends a plain
        /// value; nil elsewhere.
        var placeInBrackets: Int?
    }

    /// One `key: value` of a mapping.
    package struct Entry: Sendable {
        package let key: Located<String>
        package let value: Tree
    }

    package let content: Content
    package let position: SourcePosition

    package init(_ content: Content, at position: SourcePosition) {
        self.content = content
        self.position = position
    }

    var scalar: Scalar? {
        if case .scalar(let scalar) = content { return scalar }
        return nil
    }

    var list: [Tree]? {
        if case .list(let list) = content { return list }
        return nil
    }

    var map: [Entry]? {
        if case .map(let map) = content { return map }
        return nil
    }

    subscript(key: String) -> Tree? {
        map?.first { $0.key.value == key }?.value
    }

    var text: Located<String>? {
        scalar.map { Located($0.text, at: $0.origin.position(of: 0)) }
    }

    var kind: String {
        switch content {
        case .scalar(let scalar)
        where scalar.isPlain && (scalar.text.isEmpty || scalar.text == "~"):
            "nothing"
        case .scalar: "a single value"
        case .list: "a list"
        case .map: "a mapping"
        }
    }
}

/// The positions of a scalar's characters in the file.
struct TextOrigin: Sendable {
    /// One position for each Unicode scalar; empty if only the start is known.
    let positions: [SourcePosition]
    let start: SourcePosition

    func position(of offset: Int) -> SourcePosition {
        if offset < positions.count { return positions[offset] }
        guard let last = positions.last else { return start }
        return SourcePosition(
            line: last.line, column: last.column + 1 + offset - positions.count)
    }
}
