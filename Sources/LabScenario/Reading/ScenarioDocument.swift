import ScenarioWords

/// A scenario file that can be changed and written again. The shrinker removes parts, and keeps a
/// removal if the finding still occurs.
package struct ScenarioDocument: Sendable {
    package typealias Path = [String]

    package private(set) var root: Tree

    /// Reads a file with its included files.
    ///
    /// - Parameter cure: the name of the cure to read; nil for the scenario itself.
    package init(
        _ bytes: [UInt8], file: String, reader: ScenarioReader, cure: String?
    ) throws(ScenarioProblems) {
        let problems = ProblemList(file: file)
        let inclusion = Inclusion(read: reader.include, file: file, problems: problems)
        root = try inclusion.completed(try TreeReader.read(bytes, problems: problems))
        if let cure, let tree = root["cures"]?[cure] {
            root = CureOverlay.apply(tree, to: root, problems: problems)
        }
        try problems.throwIfAny()
        for key in ["include", "cures"] { remove([key]) }
    }

    /// The keys of the mapping, or the indices of the list, at a path. Empty for other values.
    package func keys(_ path: Path) -> [String] {
        guard let tree = tree(at: path) else { return [] }
        if let map = tree.map { return map.map(\.key.value) }
        return (tree.list ?? []).indices.map(String.init)
    }

    package func text(_ path: Path) -> String? { tree(at: path)?.scalar?.text }

    package func scalars(_ path: Path = []) -> [(path: Path, text: String)] {
        if let text = text(path) { return [(path, text)] }
        return keys(path).flatMap { scalars(path + [$0]) }
    }

    package mutating func remove(_ path: Path) {
        root = Self.edit(root, path) { _ in nil } ?? root
    }

    /// Sets the scalar at a path, and creates it in an existing mapping if it is missing.
    package mutating func set(_ path: Path, _ text: String, isPlain: Bool = false) {
        let origin = TextOrigin(positions: [], start: .start)
        let scalar = Tree(
            .scalar(.init(text: text, isPlain: isPlain, origin: origin)), at: .start)
        set(path, scalar)
    }

    package mutating func setMapping(_ path: Path) { set(path, Tree(.map([]), at: .start)) }

    package mutating func setList(_ path: Path, _ texts: [String]) {
        setList(path, texts.map { ($0, true) })
    }

    /// Sets a list of scalars at a path, each plain or quoted.
    package mutating func setList(_ path: Path, _ items: [(text: String, isPlain: Bool)]) {
        let origin = TextOrigin(positions: [], start: .start)
        let trees = items.map {
            Tree(.scalar(.init(text: $0.text, isPlain: $0.isPlain, origin: origin)), at: .start)
        }
        set(path, Tree(.list(trees), at: .start))
    }

    private mutating func set(_ path: Path, _ value: Tree) {
        if tree(at: path) != nil {
            root = Self.edit(root, path) { _ in value } ?? root
        } else if let key = path.last {
            root =
                Self.edit(root, path.dropLast()) { parent in
                    var entries = parent.map ?? []
                    entries.append(.init(key: Located(key), value: value))
                    return Tree(.map(entries), at: parent.position)
                } ?? root
        }
    }

    private func tree(at path: Path) -> Tree? {
        path.reduce(root) { tree, key in
            guard let tree else { return nil }
            if let list = tree.list {
                return Int(key).flatMap { list.indices.contains($0) ? list[$0] : nil }
            }
            return tree[key]
        }
    }

    private static func edit(
        _ tree: Tree, _ path: ArraySlice<String>, _ change: (Tree) -> Tree?
    ) -> Tree? {
        guard let key = path.first else { return change(tree) }
        let rest = path.dropFirst()
        if let list = tree.list {
            let items = list.enumerated().compactMap { index, item in
                String(index) == key ? edit(item, rest, change) : item
            }
            return Tree(.list(items), at: tree.position)
        }
        let entries = (tree.map ?? []).compactMap { entry -> Tree.Entry? in
            guard entry.key.value == key else { return entry }
            return edit(entry.value, rest, change).map { .init(key: entry.key, value: $0) }
        }
        return Tree(.map(entries), at: tree.position)
    }

    private static func edit(
        _ tree: Tree, _ path: Path, _ change: (Tree) -> Tree?
    ) -> Tree? {
        edit(tree, path[...], change)
    }

    // MARK: Writing

    package var yaml: String { Self.lines(root, "").joined(separator: "\n") + "\n" }

    private static func lines(_ tree: Tree, _ indent: String) -> [String] {
        switch tree.content {
        case .scalar(let scalar): [indent + inline(scalar)]
        case .list(let items): items.flatMap { item($0, indent) }
        case .map(let entries):
            entries.flatMap { entry -> [String] in
                let key = indent + quoted(entry.key.value, isPlain: true) + ":"
                switch entry.value.content {
                case .scalar(let scalar): return ["\(key) \(inline(scalar))"]
                case .list(let items) where items.isEmpty: return ["\(key) []"]
                case .map(let inner) where inner.isEmpty: return ["\(key) {}"]
                default: return [key] + lines(entry.value, indent + "  ")
                }
            }
        }
    }

    private static func item(_ tree: Tree, _ indent: String) -> [String] {
        var inner = lines(tree, indent + "  ")
        if inner.isEmpty { inner = [indent + "  {}"] }
        inner[0] = indent + "- " + inner[0].dropFirst(indent.count + 2)
        return inner
    }

    private static func inline(_ scalar: Tree.Scalar) -> String {
        quoted(scalar.text, isPlain: scalar.isPlain)
    }

    /// A scalar without quotes in the file is written without quotes if YAML's block style permits
    /// this.
    private static func quoted(_ text: String, isPlain: Bool) -> String {
        let isSafe =
            isPlain && !text.contains(": ") && !text.contains(" #") && !text.isEmpty
            && !text.hasSuffix(":") && !beginsBlock(text)
            && !text.unicodeScalars.contains(where: String.needsEscape)
        return isSafe ? text : text.inDoubleQuotes
    }

    /// Whether the string would begin a list or a key in YAML's block style.
    private static func beginsBlock(_ text: String) -> Bool {
        ["-", "?", ":"].contains(text) || ["- ", "? ", ": "].contains { text.hasPrefix($0) }
    }
}
