import Foundation

/// The work of one victim process. The process receives it as a JSON argument of a hidden
/// subcommand.
struct VictimRequest: Codable, Sendable {
    enum Work: String, Codable, Sendable {
        /// Creates the initial stores of a kind of victim.
        case prepare
        /// Executes the script, and prints a line before and after each save.
        case write
        /// Verifies stores that other processes wrote.
        case verify
        /// Works on one store together with other processes.
        case crowd
    }

    var work: Work
    var kind: VictimKind
    var journal: JournalSetting
    /// The folder of the stores. For `verify`, each case has its own folder.
    var folder: String
    var seed: UInt64
    var plant: PlantedFault?
    var cases: [VerifiedCase] = []
    var crowd: CrowdRole?

    /// The serial numbers of objects that ``template`` adds.
    static let templateSerials: Range<Int64> = 100_000_000..<200_000_000

    /// The scripts of the stores that exist before the victim begins, and the script of the victim.
    var template: LedgerScript { LedgerScript(seed: 0x7E3A, first: 100_000, count: 10) }
    var otherTemplate: LedgerScript { LedgerScript(seed: 0x51D, first: 200_000, count: 6) }
    var script: LedgerScript {
        LedgerScript(seed: seed, style: kind.style, first: kind.initialSteps, count: kind.steps)
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

/// A folder to verify, with the possible contents of its store.
struct VerifiedCase: Codable, Sendable {
    var folder: String
    /// The numbers of the steps that have certainly succeeded, in order.
    var done: [Int]
    /// A step that began but was not acknowledged. The store contains it completely or not at all.
    var open: Int?
    /// The number of latest steps that may be missing, for example after a power cut. `Int.max` if
    /// the journal setting protects no step.
    var missable = 0
    /// Failed steps. One of them may have been saved completely, because the disk can fail before
    /// it confirms the save.
    var failed: [Int] = []
}

/// The events of a victim's run, parsed from the victim's output.
struct VictimStory: Sendable, Equatable {
    struct Failure: Sendable, Equatable {
        var step: Int
        var code: Int
        var sqlite: Int
        var text: String
    }

    /// The acknowledged steps, in order.
    var done: [Int] = []
    /// The step that began and did not end.
    var open: Int?
    /// The failures. The step number -1 means that opening the store failed.
    var failures: [Failure] = []
    var isFinished = false

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
