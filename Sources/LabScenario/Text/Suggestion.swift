/// Finds the known name that the user probably meant by an unknown name.
package enum Suggestion {
    /// The suggestion in a message: the most similar known name, or all known names if none is
    /// similar.
    package static func text(for name: String, among known: [String], kind: String) -> String {
        guard !known.isEmpty else { return "no \(kind) is defined" }
        if let near = nearest(to: name, among: known) { return "did you mean '\(near)'?" }
        let shown = known.prefix(24).map { "'\($0)'" }.joined(separator: ", ")
        return "write one of \(shown)\(known.count > 24 ? ", …" : "")"
    }

    /// The known name with the smallest edit distance, if the distance is small relative to the
    /// name's length.
    static func nearest(to name: String, among known: [String]) -> String? {
        let wanted = Array(name.lowercased())
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = editDistance(wanted, Array(candidate.lowercased()))
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        guard let best else { return nil }
        // Names of one or two letters must be equal.
        let shorter = min(wanted.count, best.name.count)
        let allowed = shorter < 3 ? 0 : max(1, shorter / 3)
        return best.distance <= allowed ? best.name : nil
    }

    /// The edit distance in characters; swapping two neighbouring characters is one edit.
    private static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
        var before: [Int] = []
        var row = Array(0...right.count)
        for (i, character) in left.enumerated() {
            var next = [i + 1]
            for (j, other) in right.enumerated() {
                var best = min(row[j] + (character == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, character == right[j - 1], left[i - 1] == other {
                    best = min(best, before[j - 1] + 1)
                }
                next.append(best)
            }
            before = row
            row = next
        }
        return row[right.count]
    }
}
