/// Where two runs of one schedule part.
extension CodeExploration {
    /// Runs the schedule twice more to find the first step at which runs of it differ.
    func parting(_ witness: Witness, _ end: CodeWorld.End, _ path: [UInt8]) -> CodeError {
        let ends =
            path == witness.path
            ? "\(token(path)) came to \(witness.end.summary), and then to \(end.summary)"
            : "\(token(witness.path)) came to \(witness.end.summary), and then \(token(path)) to"
                + " \(end.summary)"
        do {
            let one = try lines(witness.path)
            let other = try lines(witness.path)
            return .notDeterministic("\(Self.firstDifference(one, other)); \(ends)")
        } catch {
            return error
        }
    }

    private func lines(_ path: [UInt8]) throws(CodeError) -> [String] {
        let story = world.makeStory()
        try run(path, story: story)
        return story.told().lines
    }

    private static func firstDifference(_ one: [String], _ other: [String]) -> String {
        for index in 0..<max(one.count, other.count) {
            let lines = [one, other].map { $0.indices.contains(index) ? $0[index] : "the end" }
            if lines[0] != lines[1] {
                return "two runs part at line \(index + 1) of their story, '\(lines[0])' and"
                    + " '\(lines[1])'"
            }
        }
        return "two runs do the same with the store, but come to something else"
    }
}
