import Foundation

/// Puts what a scenario file includes under what it says itself. The reader calls it before the
/// tree is checked; what is wrong in an included file is told with that file's name.
package struct Inclusion {
    let read: @Sendable (_ path: String, _ file: String) -> [UInt8]?
    let file: String
    let problems: ProblemList

    /// Reads a file beside another one.
    package static let read: @Sendable (String, String) -> [UInt8]? = { path, file in
        let base = URL(fileURLWithPath: file).deletingLastPathComponent()
        let url =
            path.hasPrefix("/") ? URL(fileURLWithPath: path) : base.appendingPathComponent(path)
        return (try? Data(contentsOf: url)).map { [UInt8]($0) }
    }

    /// The tree with the included keys in it.
    func completed(_ tree: Tree) throws(ScenarioProblems) -> Tree {
        guard let value = tree["include"] else { return tree }
        var completed = tree
        for path in (value.list ?? [value]).compactMap(\.text).reversed() {
            guard let bytes = read(path.value, file) else {
                problems.add(
                    "there is no file '\(path.value)'", at: path.position,
                    instead: "name a file beside this one")
                continue
            }
            let own = ProblemList(file: path.value)
            let included = try TreeReader.read(bytes, problems: own)
            let rules = ScenarioKeys.root.filter { $0.key != "include" }.map(\.optional)
            ShapeCheck(problems: own).check(included, keys: rules, of: "the included file")
            try own.throwIfAny()
            completed = Self.merged(completed, over: included.moved(to: path.position))
        }
        return completed
    }

    /// The bytes of everything that is included, for the hash.
    func bytes(for tree: Tree) -> [UInt8] {
        guard let value = tree["include"] else { return [] }
        return (value.list ?? [value]).compactMap(\.text).flatMap { read($0.value, file) ?? [] }
    }

    /// Mappings are merged and the first one's values win; lists are put one behind the other.
    private static func merged(_ tree: Tree, over base: Tree) -> Tree {
        switch (tree.content, base.content) {
        case (.map(let own), .map(let others)):
            var entries = others.map { entry -> Tree.Entry in
                guard let mine = own.first(where: { $0.key.value == entry.key.value }) else {
                    return entry
                }
                return Tree.Entry(key: mine.key, value: merged(mine.value, over: entry.value))
            }
            entries += own.filter { entry in
                !others.contains { $0.key.value == entry.key.value }
            }
            return Tree(.map(entries), at: tree.position)
        case (.list(let own), .list(let others)):
            return Tree(.list(others + own), at: tree.position)
        default: return tree
        }
    }
}

extension Tree {
    /// The same tree with every place set to one: that of the line that includes it.
    fileprivate func moved(to place: SourcePosition) -> Tree {
        switch content {
        case .scalar(let scalar):
            let origin = TextOrigin(positions: [], start: place)
            return Tree(
                .scalar(.init(text: scalar.text, isPlain: scalar.isPlain, origin: origin)),
                at: place)
        case .list(let list): return Tree(.list(list.map { $0.moved(to: place) }), at: place)
        case .map(let entries):
            return Tree(
                .map(
                    entries.map {
                        Entry(
                            key: Located($0.key.value, at: place), value: $0.value.moved(to: place))
                    }), at: place)
        }
    }
}

extension KeyRule {
    /// The same rule for a file that need not have the key.
    fileprivate var optional: KeyRule { KeyRule(key, form, meaning) }
}
