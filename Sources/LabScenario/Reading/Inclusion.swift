import LabFiles

/// Merges included files into a scenario file before the tree is checked. The values of the
/// scenario file take precedence. Problems in an included file are reported with the name of the
/// included file.
package struct Inclusion {
    /// Reads the file that `file` includes as `path`.
    package typealias Read =
        @Sendable (_ path: String, _ file: String) throws(FileProblem) -> [UInt8]

    let read: Read
    let file: String
    let problems: ProblemList

    /// Reads files next to the file that includes them.
    ///
    /// - Parameter scope: the permitted folders; nil for the default folders of each including
    ///   file.
    package static func read(in scope: FileScope?) -> Read {
        { path, file throws(FileProblem) in
            let scope = scope ?? FileScope(ofFile: file)
            let place = try scope.place(of: path, in: FileScope.folder(of: file))
            // Files with other extensions are not read, because an error message could quote their
            // contents.
            guard place.hasSuffix(".yaml") || place.hasSuffix(".yml") else {
                throw FileProblem(
                    "'\(path)' is not a part of a scenario", instead: "name a '.part.yaml' file")
            }
            do throws(FileProblem) { return try InputFile.bytes(at: place) } catch {
                if error == .absent {
                    throw FileProblem(
                        "the file '\(path)' does not exist",
                        instead: "name a file next to this one")
                }
                throw FileProblem(
                    "'\(path)' cannot be included: \(error.what)", instead: error.instead)
            }
        }
    }

    /// The tree, merged with the keys of the included files.
    func completed(_ tree: Tree) throws(ScenarioProblems) -> Tree {
        guard let value = tree["include"] else { return tree }
        var completed = tree
        for path in (value.list ?? [value]).compactMap(\.text).reversed() {
            let bytes: [UInt8]
            do throws(FileProblem) { bytes = try read(path.value, file) } catch {
                problems.add(error.what, at: path.position, instead: error.instead)
                continue
            }
            let own = ProblemList(file: path.value)
            let included = try TreeReader.read(bytes, problems: own)
            guard Self.isPart(included) else {
                problems.add(
                    "'\(path.value)' has no key of a scenario", at: path.position,
                    instead: "name a '.part.yaml' file")
                continue
            }
            let rules = ScenarioKeys.root.filter { $0.key != "include" }.map(\.optional)
            ShapeCheck(problems: own).check(included, keys: rules, of: "the included file")
            try own.throwIfAny()
            completed = Self.merged(completed, over: included.moved(to: path.position))
        }
        return completed
    }

    /// Whether the file contains a key of scenario files. Other files are rejected, so that
    /// messages do not reveal their contents.
    private static func isPart(_ tree: Tree) -> Bool {
        tree.map?.contains { entry in
            ScenarioKeys.root.contains { $0.key == entry.key.value }
        } ?? false
    }

    func bytes(for tree: Tree) -> [UInt8] {
        guard let value = tree["include"] else { return [] }
        return (value.list ?? [value]).compactMap(\.text).flatMap {
            (try? read($0.value, file)) ?? []
        }
    }

    /// Merges two trees. In mappings the values of the first tree take precedence. Lists are
    /// concatenated.
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
    /// A copy of the tree in which all positions are the position of the including line.
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
    fileprivate var optional: KeyRule { KeyRule(key, form, meaning) }
}
