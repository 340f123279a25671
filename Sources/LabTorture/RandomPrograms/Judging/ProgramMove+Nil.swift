extension ProgramMove {
    /// Whether two stores have the same results, apart from some objects. For these objects, a
    /// comparison with nil has another result in SQL than in memory.
    ///
    /// Totals, and fetches with a limit or an offset, depend on every object. For these steps, only
    /// the other observations are compared.
    func differOnlyInNil(_ first: ProgramSight, _ second: ProgramSight) -> Bool {
        guard case .fetch(let query) = step, !decidedByNil.isEmpty else { return false }
        var (first, second) = (first, second)
        guard !first.isError, !second.isError else { return false }
        if query.form == .count, !query.isPart {
            guard let one = Int(first.answer), let other = Int(second.answer) else { return false }
            guard abs(one - other) <= decidedByNil.count else { return false }
        }
        first.answer = query.answer(first.answer, without: decidedByNil)
        second.answer = query.answer(second.answer, without: decidedByNil)
        return first == second
    }
}

extension ProgramSight {
    fileprivate var isError: Bool { answer.hasPrefix("error") }
}

extension ProgramQuery {
    fileprivate var isPart: Bool { limit > 0 || offset > 0 }

    fileprivate func answer(_ answer: String, without numbers: Set<Int>) -> String {
        if isPart { return "" }
        switch form {
        case .count, .totals: return ""
        case .objects, .ids:
            let names = Set(numbers.map { "#\($0)" })
            return answer.split(separator: " ").filter { !names.contains(String($0)) }
                .joined(separator: " ")
        case .values:
            let names = Set(numbers.map(String.init))
            return answer.split(separator: "\n").filter { line in
                line.split(separator: " ").first.map { !names.contains(String($0)) } ?? true
            }.joined(separator: "\n")
        }
    }
}
