import ArgumentParser

/// Explains a mistyped command, and suggests a similar command if one exists.
package enum CommandSuggestion {
    /// The message for a first argument that is not a command; nil if the parser may continue.
    ///
    /// - Parameters:
    ///   - arguments: the command line without the program's path.
    ///   - root: the command whose subcommands are suggested.
    ///   - isFile: returns whether a word that is not a command may be the path of a file.
    package static func complaint(
        _ arguments: [String], of root: any ParsableCommand.Type,
        isFile: (String) -> Bool = { _ in false }
    ) -> String? {
        let program = root.configuration.commandName ?? "faultline"
        var words = arguments[...]
        if words.first == "--color" { words = words.dropFirst(2) }
        if words.first?.hasPrefix("--color=") == true { words = words.dropFirst() }
        if words.first == "help" { words = words.dropFirst() }
        let all = root.configuration.subcommands
        guard let word = words.first, !word.hasPrefix("-"),
            !all.contains(where: { name(of: $0) == word }), !isFile(word)
        else { return nil }
        let shown = all.filter { $0.configuration.shouldDisplay }.map(name) + ["help"]
        guard let nearest = nearest(to: word, among: shown) else {
            // The default command then reports that no file has this path.
            if root.configuration.defaultSubcommand != nil { return nil }
            return "\(program): unknown command '\(word)'; `\(program) --help` lists them all"
        }
        return "\(program): unknown command '\(word)'; did you mean '\(nearest)'?"
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }

    /// The most similar name; nil if no name is similar enough.
    static func nearest(to word: String, among names: [String]) -> String? {
        let scored = names.map { (name: $0, distance: distance(word.lowercased(), $0)) }
        guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
        if best.distance <= max(1, min(word.count, best.name.count) / 3) { return best.name }
        // The beginning of exactly one command suggests it: `sel` suggests `selfcheck`.
        let begun = names.filter { word.count > 1 && $0.hasPrefix(word.lowercased()) }
        return begun.count == 1 ? begun[0] : nil
    }

    /// The number of edits between two words. An edit inserts, deletes or replaces a letter, or
    /// swaps two adjacent letters.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first), Array(second))
        var rows = [[Int]](
            repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { rows[i][0] = i }
        for j in 0...b.count { rows[0][j] = j }
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        for i in 1...a.count {
            for j in 1...b.count {
                let change = a[i - 1] == b[j - 1] ? 0 : 1
                rows[i][j] = min(
                    rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + change)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
                }
            }
        }
        return rows[a.count][b.count]
    }
}
