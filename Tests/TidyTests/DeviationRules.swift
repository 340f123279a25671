/// Finds entries of DEVIATIONS.md without a test, and ids in tests without an entry.
enum DeviationRules {
    static func check(register: SourceFile, tests: [SourceFile]) -> [Violation] {
        let entries = ids(in: register) { $0.hasPrefix("## ") }
        let used = tests.flatMap { file in
            ids(in: file) { $0.contains("D-") }.map { (id: $0.id, index: $0.index, file: file) }
        }
        let known = Set(entries.map(\.id))
        let tested = Set(used.map(\.id))
        let untested = entries.filter { !tested.contains($0.id) }.map {
            register.violation($0.index, "deviation", "name \($0.id) in the test that shows it")
        }
        let unknown = used.filter { !known.contains($0.id) }.map {
            $0.file.violation($0.index, "deviation", "\($0.id) has no entry in \(register.path)")
        }
        return untested + unknown
    }

    private static func ids(
        in file: SourceFile, where isCandidate: (String) -> Bool
    ) -> [(id: String, index: Int)] {
        file.lines.enumerated().flatMap { index, line -> [(id: String, index: Int)] in
            guard isCandidate(line) else { return [] }
            return Words.of(line.replacing("D-", with: "D_")).filter { word in
                word.hasPrefix("D_") && word.count == 5
                    && word.dropFirst(2).allSatisfy(\.isNumber)
            }.map { ("D-" + $0.dropFirst(2), index) }
        }
    }
}
