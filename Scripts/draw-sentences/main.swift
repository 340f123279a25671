import Foundation

/// A generator of random numbers (SplitMix64) that gets the same numbers from the same seed.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Whether the text is in a column of STYLE.md that lists phrases to replace. In the tables of that
/// page, such columns and the columns with replacements alternate.
func isReplaced(_ prose: Prose) -> Bool {
    guard prose.path == "STYLE.md" else { return false }
    let page = Repository.files.first { $0.path == prose.path }
    guard let line = page?.lines[prose.line - 1], line.hasPrefix("|") else { return false }
    let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    return cells.enumerated().contains { $0.offset.isMultiple(of: 2) && $0.element == prose.text }
}

var generator = SeededGenerator(state: CommandLine.arguments.last.flatMap(UInt64.init) ?? 1)
let prose = Repository.files.flatMap(Prose.all)
let comments = prose.filter { $0.kind == .comment || $0.kind == .documentation }
let messages = prose.filter { $0.kind == .message }
let sentences = prose.filter {
    $0.kind == .sentence && $0.text.contains(" ") && !isReplaced($0)
}

for (title, texts, count) in [
    ("comments", comments, 150), ("messages", messages, 100), ("sentences", sentences, 70),
] {
    print("## \(count) of \(texts.count) \(title)\n")
    for (index, drawn) in texts.shuffled(using: &generator).prefix(count).enumerated() {
        print("\(index + 1). \(drawn.path):\(drawn.line)\n   \(drawn.text)")
    }
    print("")
}

print("## Idioms\n")
print("| idiom | comments | messages | pages |\n|---|---|---|---|")
let counts = [comments, messages, sentences].map { texts in
    Dictionary(grouping: texts.flatMap(Idiom.all).map(\.name)) { $0 }.mapValues(\.count)
}
for name in Idiom.names where counts.contains(where: { $0[name] != nil }) {
    print("| \(name) | " + counts.map { "\($0[name] ?? 0)" }.joined(separator: " | ") + " |")
}
let sums = counts.map { $0.values.reduce(0, +) }
print("| all | " + sums.map(String.init).joined(separator: " | ") + " |\n")
let rate = Double(sums[0]) * 1000 / Double(comments.count)
print("\(String(format: "%.1f", rate)) idioms for each 1,000 of \(comments.count) comment blocks")
