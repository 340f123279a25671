import LabScenario

extension Shrinker {
    mutating func cutSessions() {
        for name in best.document.keys(["sessions"]) {
            let steps = best.document.keys(["sessions", name, "steps"])
            attempt { document in
                document.remove(["sessions", name])
                document.cutUses(of: steps)
            }
        }
    }

    /// First cuts halves of the steps, and then smaller groups down to single steps. Each cut also
    /// removes the steps that need a name from a removed step.
    mutating func cutSteps() {
        var size = max(1, best.document.allSteps.count / 2)
        while size >= 1 {
            var start = 0
            while start < best.document.allSteps.count {
                let steps = best.document.allSteps
                let chunk = steps[start..<min(start + size, steps.count)]
                // After a successful cut, the next chunk is at the same position.
                if !attempt({ $0.cut(chunk.map(\.self)) }) { start += size }
                if isOutOfTime { return }
            }
            size /= 2
        }
    }

    /// Removes steps that only bind a name: a read whose value is used later, or a fetch of a row
    /// that the setup has named. The value or the row's name replaces each use of the name.
    mutating func cutNames() {
        for step in best.document.allSteps {
            guard let text = best.document.text(step),
                let name = ScenarioDocument.onlyName(in: text)
            else { continue }
            var stands: [String] = []
            if text.hasPrefix("read ") {
                stands = text.split(separator: " ").dropFirst().prefix(1).map(String.init)
            } else if text.hasPrefix("fetch ") {
                stands = best.document.keys(["setup"]).compactMap { index in
                    ScenarioDocument.onlyName(in: best.document.text(["setup", index]) ?? "")
                }
            }
            for other in stands {
                let isCut = attempt { document in
                    document.remove(step)
                    document.replace(name, with: other)
                }
                if isCut { break }
            }
        }
    }

    mutating func cutParts() {
        for step in best.document.allSteps { cutPieces(of: step, separator: ";") }
        for step in best.document.allSteps { cutPieces(of: step, separator: ",") }
        for index in best.document.keys(["setup"]).reversed() {
            attempt { $0.remove(["setup", index]) }
        }
        for index in best.document.keys(["setup"]) {
            cutPieces(of: ["setup", index], separator: ",")
            attempt { document in
                guard let text = document.text(["setup", index]),
                    let with = text.firstRange(of: " with ")
                else { return }
                document.set(["setup", index], String(text[..<with.lowerBound]), isPlain: true)
            }
        }
    }

    private mutating func cutPieces(of path: ScenarioDocument.Path, separator: Character) {
        var index = 0
        while let text = best.document.text(path) {
            let pieces = text.split(separator: separator, omittingEmptySubsequences: false)
            guard pieces.count > 1, index < pieces.count else { return }
            var left = pieces
            left.remove(at: index)
            let joined = left.joined(separator: String(separator))
            let trimmed = String(joined.drop { $0 == " " })
            if !attempt({ $0.set(path, trimmed, isPlain: !trimmed.contains("\"")) }) { index += 1 }
        }
    }

    /// Cuts the parts of the file other than the steps: orders, blocks, contexts, matrix and setup.
    mutating func cutSurroundings() {
        for key in ["after", "atomic", "blocks", "topology", "store", "quirk", "setup"] {
            attempt { $0.remove([key]) }
        }
        for list in ["after", "atomic", "blocks", "contexts", "matrix"] {
            for key in best.document.keys([list]).reversed() {
                attempt { $0.remove([list, key]) }
            }
        }
        for context in best.document.keys(["contexts"]) {
            for setting in best.document.keys(["contexts", context]) {
                attempt { $0.remove(["contexts", context, setting]) }
            }
        }
        cutModel()
    }

    private mutating func cutModel() {
        let entities: ScenarioDocument.Path = ["model", "entities"]
        for entity in best.document.keys(entities) {
            if attempt({ $0.remove(entities + [entity]) }) { continue }
            for part in best.document.keys(entities + [entity]) {
                if attempt({ $0.remove(entities + [entity, part]) }) { continue }
                for key in best.document.keys(entities + [entity, part]).reversed() {
                    attempt { $0.remove(entities + [entity, part, key]) }
                }
            }
        }
        cutRelationships(entities)
    }

    private mutating func cutRelationships(_ entities: ScenarioDocument.Path) {
        for entity in best.document.keys(entities) {
            for key in best.document.keys(entities + [entity, "relationships"]) {
                let path = entities + [entity, "relationships", key]
                guard let words = best.document.text(path)?.split(separator: " ").map(String.init),
                    let at = words.firstIndex(of: "inverse"), words.count > at + 1, words.count > 1
                else { continue }
                attempt { document in
                    document.remove(path)
                    document.remove(entities + [words[1], "relationships", words[at + 1]])
                }
            }
        }
    }
}

extension ScenarioDocument {
    /// The name that a statement binds, if it binds exactly one.
    static func onlyName(in text: String) -> String? {
        let names = boundNames(in: text)
        return names.count == 1 && !text.contains(";") ? names[0] : nil
    }

    mutating func replace(_ name: String, with other: String) {
        for step in allSteps {
            guard let text = text(step), Self.uses(name, text) else { continue }
            var words: [String] = []
            var word = ""
            for letter in text + " " {
                if letter.isLetter || letter.isNumber || letter == "_" || letter == "-" {
                    word.append(letter)
                } else {
                    words.append((word == name ? other : word) + String(letter))
                    word = ""
                }
            }
            let replaced = String(words.joined().dropLast())
            set(step, replaced, isPlain: !replaced.contains("\""))
        }
    }

    var allSteps: [Path] {
        keys(["sessions"]).flatMap { session in
            keys(["sessions", session, "steps"]).map { ["sessions", session, "steps", $0] }
        }
    }

    /// Removes steps. Also removes the steps that use a name that only removed steps bind, and
    /// sessions without steps.
    mutating func cut(_ steps: [Path]) {
        var left = steps
        var cut: Set<Path> = []
        while let step = left.popLast() {
            guard cut.insert(step).inserted, let text = text(step) else { continue }
            for name in Self.boundNames(in: text) {
                let others = allSteps.filter { !cut.contains($0) }
                let isBoundElsewhere = others.contains {
                    self.text($0).map { Self.boundNames(in: $0).contains(name) } ?? false
                }
                if isBoundElsewhere { continue }
                left += others.filter { self.text($0).map { Self.uses(name, $0) } ?? false }
            }
        }
        for step in cut { remove(step) }
        for session in keys(["sessions"]) where keys(["sessions", session, "steps"]).isEmpty {
            remove(["sessions", session])
        }
        cutUses(of: cut.compactMap(\.last))
    }

    mutating func cutUses(of steps: [String]) {
        for list in ["after", "atomic"] {
            for index in keys([list]).reversed() {
                let text = text([list, index]) ?? ""
                if steps.contains(where: { Self.uses($0, text) }) { remove([list, index]) }
            }
            if keys([list]).isEmpty { remove([list]) }
        }
    }

    private static func boundNames(in text: String) -> [String] {
        let words = text.split { " ;,".contains($0) }.map(String.init)
        return zip(words, words.dropFirst()).compactMap { word, next in
            word == "as" || word == "->" ? next : nil
        }
    }

    private static func uses(_ name: String, _ text: String) -> Bool {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
            .contains { $0 == name }
    }
}
