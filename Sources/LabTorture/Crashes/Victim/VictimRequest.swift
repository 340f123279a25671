import Foundation

/// The work of one process of the hidden subcommand, its only argument as JSON.
struct VictimRequest: Codable, Sendable {
    enum Work: String, Codable, Sendable {
        /// Makes the stores that a kind begins with.
        case prepare
        /// Writes, and tells before and after each save.
        case write
        /// Looks at what others left.
        case verify
        /// Works on one store beside others.
        case crowd
    }

    var work: Work
    var kind: VictimKind
    var journal: JournalSetting
    /// Where the stores are; for `verify` the first of the cases' folders counts instead.
    var folder: String
    var seed: UInt64
    var plant: PlantedFault?
    var cases: [VerifiedCase] = []
    var crowd: CrowdRole?

    /// The serial numbers of what ``template`` adds.
    static let templateSerials: Range<Int64> = 100_000_000..<200_000_000

    /// The ledger's steps before the victim begins, and those of the victim.
    var template: LedgerScript { LedgerScript(seed: 0x7E3A, first: 100_000, count: 10) }
    var otherTemplate: LedgerScript { LedgerScript(seed: 0x51D, first: 200_000, count: 6) }
    var script: LedgerScript {
        LedgerScript(seed: seed, style: kind.style, first: kind.deeds, count: kind.steps)
    }

    var arguments: [String] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let text = String(decoding: try encoder.encode(self), as: UTF8.self)
            return [TortureVictim.subcommand, text]
        }
    }
}

/// A folder to verify with what must be in it.
struct VerifiedCase: Codable, Sendable {
    var folder: String
    /// The numbers of the steps that are certainly done, in their order.
    var done: [Int]
    /// A step that may be done, as a whole.
    var open: Int?
    /// Whether later ones of the steps that are done may be missing: how many; all of them where
    /// the store's setting promises no more.
    var missable = 0
    /// Steps that failed, one of which may be done all the same, as a whole: a disk that never came
    /// back could not tell.
    var failed: [Int] = []
}

/// What a victim told, read from its output.
struct VictimStory: Sendable, Equatable {
    struct Failure: Sendable, Equatable {
        var step: Int
        var code: Int
        var sqlite: Int
        var text: String
    }

    /// Acknowledged steps in their order.
    var done: [Int] = []
    /// The step that began and was not heard of again.
    var open: Int?
    /// What failed; the step -1 is opening the store.
    var failures: [Failure] = []
    /// Whether the victim came to its end.
    var isFinished = false

    /// The steps that failed.
    var failed: [Int] { Set(failures.map(\.step)).filter { $0 >= 0 }.sorted() }

    init(_ text: String) {
        for line in text.split(separator: "\n") { read(line) }
    }

    private mutating func read(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 4)
        guard let word = words.first else { return }
        let number = words.count > 1 ? Int(words[1]) : nil
        switch (word, number) {
        case ("begin", let step?): open = step
        case ("done", let step?):
            done.append(step)
            if open == step { open = nil }
        case ("failed", let step?):
            let numbers = words.dropFirst(2).prefix(2).map { Int($0) ?? 0 }
            failures.append(
                Failure(
                    step: step, code: numbers.first ?? 0, sqlite: numbers.last ?? 0,
                    text: words.count > 4 ? String(words[4]) : ""))
            if open == step { open = nil }
        case ("finished", _): isFinished = true
        default: break
        }
    }
}
