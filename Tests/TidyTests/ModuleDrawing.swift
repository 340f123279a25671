/// Draws the arrows between the modules of a manifest, as ARCHITECTURE.md shows them.
///
/// An arrow leads from a module to a module that it uses. An arrow that follows from other arrows
/// is left out. The number of a module is the number of arrows in the longest path down from it.
struct ModuleDrawing {
    static let path = "ARCHITECTURE.md"
    /// The lines of the page above the drawing.
    static let mark =
        "<!-- FAULTLINE_REFRESH=1 ./test --filter TidyTests writes this drawing. -->\n```\n"

    private let names: [String]
    /// The modules that each module uses directly.
    private let uses: [String: [String]]
    /// The modules that each module uses directly or through other modules.
    private let below: [String: Set<String>]

    init(_ manifest: Manifest) {
        let modules = manifest.modules.filter { !$0.isTest }
        names = modules.map(\.name)
        let known = Set(names)
        let uses = Dictionary(
            modules.map { ($0.name, $0.dependencies.filter(known.contains)) },
            uniquingKeysWith: { first, _ in first })
        self.uses = uses
        below = Dictionary(
            names.map { ($0, Self.reachable(from: $0, uses)) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func reachable(from name: String, _ uses: [String: [String]]) -> Set<String> {
        var found: Set<String> = []
        var waiting = uses[name] ?? []
        while let next = waiting.popLast() {
            if found.insert(next).inserted { waiting += uses[next] ?? [] }
        }
        return found
    }

    /// The arrows from a module that do not follow from other arrows.
    private func arrows(from name: String) -> [String] {
        let direct = uses[name] ?? []
        return direct.filter { target in
            !direct.contains { $0 != target && below[$0]?.contains(target) == true }
        }.sorted()
    }

    private var levels: [String: Int] {
        var found: [String: Int] = [:]
        // A module has more modules below it than each module that it uses.
        let upward = names.sorted { (below[$0]?.count ?? 0) < (below[$1]?.count ?? 0) }
        for name in upward {
            found[name] = (uses[name] ?? []).map { (found[$0] ?? 0) + 1 }.max() ?? 0
        }
        return found
    }

    var text: String {
        let levels = levels
        let width = names.filter { levels[$0] != 0 }.map(\.count).max() ?? 0
        var lines: [String] = []
        for level in (1...max(1, levels.values.max() ?? 0)).reversed() {
            for (index, name) in names.filter({ levels[$0] == level }).sorted().enumerated() {
                let number = index == 0 ? String(level) : ""
                lines += wrapped(
                    arrows(from: name),
                    after: padded(number, 4) + padded(name, width) + "  →  ")
            }
        }
        let leaves = names.filter { levels[$0] == 0 }.sorted()
        lines += wrapped(leaves.filter { !isC($0) }, after: "0   ")
        lines += wrapped(leaves.filter(isC), after: padded("", 4))
        return lines.joined(separator: "\n")
    }

    /// Whether a module is written in C, by its name: `CSQLite` is, `CoreData` is not.
    private func isC(_ name: String) -> Bool {
        name.first == "C" && name.dropFirst().first?.isUppercase == true
    }

    /// The page with this drawing below the mark, or nil if the page lacks the mark.
    func updating(_ page: String) -> String? {
        guard let mark = page.firstRange(of: Self.mark) else { return nil }
        let rest = page[mark.upperBound...]
        guard let end = rest.firstRange(of: "\n```\n") else { return nil }
        return page[..<mark.upperBound] + text + rest[end.lowerBound...]
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// The names behind a prefix, in lines of at most 100 columns.
    private func wrapped(_ names: [String], after prefix: String) -> [String] {
        let indent = String(repeating: " ", count: prefix.count)
        var lines: [String] = []
        var line = prefix
        for (index, name) in names.enumerated() {
            let item = index == 0 ? name : " · " + name
            let end = index == names.count - 1 ? "" : " ·"
            if line.count + item.count + end.count > SizeRules.columnsMax {
                lines.append(line + " ·")
                line = indent + name
            } else {
                line += item
            }
        }
        return names.isEmpty ? lines : lines + [line]
    }
}
