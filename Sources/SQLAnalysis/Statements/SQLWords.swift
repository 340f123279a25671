/// A token of an SQL statement with its original spelling, such as the value of a literal.
struct SQLWord {
    let token: SQLToken
    let spelling: String
}

extension ArraySlice<SQLWord> {
    /// The index of the bracket that closes the bracket at an index; the end index if that bracket
    /// is not closed.
    func closing(_ place: Int) -> Int {
        var depth = 0
        for index in place..<endIndex {
            if self[index].token.isSymbol("(") { depth += 1 }
            if self[index].token.isSymbol(")") { depth -= 1 }
            if depth == 0 { return index }
        }
        return endIndex
    }

    /// The indices of the words that are not inside brackets or CASE.
    var outerPlaces: [Int] {
        var depth = 0
        var places: [Int] = []
        for index in indices {
            switch self[index].token {
            case .symbol(")"), .word("END"): depth -= 1
            default: break
            }
            if depth == 0 { places.append(index) }
            switch self[index].token {
            case .symbol("("), .word("CASE"): depth += 1
            default: break
            }
        }
        return places
    }

    /// The parts that are separated by commas.
    var elements: [ArraySlice<SQLWord>] {
        parts(between: outerPlaces.filter { self[$0].token.isSymbol(",") })
    }

    func parts(between places: [Int]) -> [ArraySlice<SQLWord>] {
        let starts = [startIndex] + places.map { $0 + 1 }
        return zip(starts, places + [endIndex]).map { self[$0..<$1] }
    }

    /// The column if the words are a column such as `t0.ZNAME`; otherwise nil.
    var column: StatementShape.Column? {
        guard let first = first?.token.word, let last = last?.token.word,
            !SQLText.isKeyword(first)
        else { return nil }
        switch count {
        case 1: return isColumnName(first) ? .init(alias: nil, name: first.uppercased()) : nil
        case 3 where self[startIndex + 1].token.isSymbol("."):
            return .init(alias: first, name: last.uppercased())
        default: return nil
        }
    }

    /// Whether any of the words is the name of a column.
    var holdsColumn: Bool {
        indices.contains { index in
            guard let word = self[index].token.word, !SQLText.isKeyword(word) else { return false }
            let next = index + 1 < endIndex ? self[index + 1].token : .parameter
            return next.isSymbol(".") || isColumnName(word) && !next.isSymbol("(")
        }
    }

    /// Whether the word looks like a column of Core Data. Other names are functions or values.
    private func isColumnName(_ word: String) -> Bool { word.uppercased().hasPrefix("Z") }

    /// The words without a COLLATE clause at the end, and the name of the collation.
    var collated: (words: ArraySlice<SQLWord>, collation: String?) {
        guard count > 2, self[endIndex - 2].token.isKeyword("COLLATE"),
            let name = last?.token.word
        else { return (self, nil) }
        return (dropLast(2), name.uppercased() == "BINARY" ? nil : name)
    }
}
