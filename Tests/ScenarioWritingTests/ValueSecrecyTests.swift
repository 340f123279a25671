import ScenarioWriting
import Testing

/// Tests that a scenario file does not reveal confidential values.
@Suite struct ValueSecrecyTests {
    private let secrets: [(key: String, value: RecordedValue, forms: [String])] = [
        ("balance", .integer(48_213), ["48213"]), ("name", .text("Ada Byron"), ["Ada", "Byron"]),
        ("opened", .number(700_000_123), ["2023-03-08", "700000123"]),
        ("number", .text("8D6C1A52-9E5B-4F60-8A5C-0123456789AB"), ["8D6C1A52", "0123456789AB"]),
        ("rate", .number(37.625), ["37.625"]), ("seal", .bytes([1, 2, 250, 9]), ["AQL6CQ=="]),
        ("limit", .decimal("51234.5"), ["51234"]),
        ("page", .text("https://ada.example"), ["ada.ex"]),
    ]

    private func run() -> RecordedRun {
        let row = Runs.account
        var actions: [(Int, RecordedAction)] = []
        for context in 0..<2 {
            for (key, value, _) in secrets {
                let query = RecordedQuery("Account", where: .compare(key, "==", [value]))
                actions.append((context, .fetch(query, found: [row], count: 1)))
                actions.append((context, .read(row, key: key, value)))
            }
            actions.append(
                (context, .set(row, key: "balance", .integer(48_226), old: .integer(48_213))))
            actions.append(
                (context, .set(row, key: "name", .text("Lovelace"), old: .text("Ada Byron"))))
        }
        let before = Dictionary(uniqueKeysWithValues: secrets.map { ($0.key, $0.value) })
        let saved = RecordedRow(
            row, base: RecordedSnapshot(version: 1, before),
            stored: RecordedSnapshot(version: 1, before),
            after: RecordedSnapshot(version: 2, before))
        return Runs.run(
            [RecordedContext("a"), RecordedContext("b", policy: .objectTrump)],
            actions + Runs.saved(0, [saved]))
    }

    @Test(arguments: [ValueSecrecy.hashed, .none])
    func `no value of the program is in the file or the transcript`(
        _ secrecy: ValueSecrecy
    ) {
        let file = ScenarioWriter(run(), values: secrecy).file()
        let text = file.text + file.transcript.joined(separator: "\n")
        for form in secrets.flatMap(\.forms) + ["48226", "Lovelace"] {
            #expect(!text.contains(form), "\(form)")
        }
    }

    @Test func `the file with all values contains them`() {
        let text = ScenarioWriter(run(), values: .full).file().text
        for form in ["48213", "Ada Byron", "2023-03-08T20:28:43Z", "37.625", "AQL6CQ==", "51234.5"]
        {
            #expect(text.contains(form), "\(form)")
        }
    }

    @Test func `tokens differ between files and are the same in one file`() {
        let files = (0..<2).map { _ in ScenarioWriter(run(), values: .hashed).file().text }
        #expect(files[0] != files[1])
        let tokens = files[0].split { !"t-0123456789abcdef".contains($0) }
            .filter { $0.hasPrefix("t-") && $0.count == 18 }
        // The two names occur several times each.
        #expect(tokens.count > Set(tokens).count)
        #expect(Set(tokens).count == 2)
    }

    @Test func `numbers keep their order and the proportions of their differences`() throws {
        let text = ScenarioWriter(Runs.tills(from: 1000), values: .hashed).file().text
        let added = text.matches(of: /\+= (\d+)/).compactMap { Int($0.output.1) }
        let (left, right) = (try #require(added.first), try #require(added.last))
        #expect(left != 5)
        #expect(left * 7 == right * 5)
    }

    @Test func `a small number has different replacements in different files`() {
        let files = Set(
            (0..<8).map { _ in ScenarioWriter(Runs.tills(), values: .hashed).file().text })
        #expect(files.count == 8)
    }
}
