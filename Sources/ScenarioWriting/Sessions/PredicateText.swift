/// Writes a predicate in the predicate format, with constants in the notation of scenario files.
struct PredicateText {
    let entity: String
    let names: ModelNames
    var values: ValueText

    /// The condition; nil if a constant or an operator cannot be written.
    ///
    /// - Parameter object: returns the name of an object that the predicate contains as a constant.
    mutating func text(
        _ predicate: RecordedPredicate, _ object: (RecordedObject) -> String
    ) -> String? {
        switch predicate {
        case .all(let parts): return compound(parts, " AND ", object)
        case .any(let parts): return compound(parts, " OR ", object)
        case .not(let part): return text(part, object).map { "NOT (\($0))" }
        case .compare(let path, let comparison, let constants):
            return compared(path, comparison, constants, object)
        case .text(let printed): return values.isFull && !printed.isEmpty ? printed : nil
        }
    }

    private mutating func compound(
        _ parts: [RecordedPredicate], _ word: String, _ object: (RecordedObject) -> String
    ) -> String? {
        var texts: [String] = []
        for part in parts {
            guard let text = text(part, object) else { return nil }
            texts.append(text)
        }
        return texts.isEmpty ? nil : "(\(texts.joined(separator: word)))"
    }

    private mutating func compared(
        _ path: String, _ comparison: String, _ constants: [RecordedValue],
        _ object: (RecordedObject) -> String
    ) -> String? {
        var texts: [String] = []
        for constant in constants {
            guard let text = self.constant(constant, path, comparison, object) else { return nil }
            texts.append(text)
        }
        if comparison == "IN" { return "\(path) IN {\(texts.joined(separator: ", "))}" }
        return texts.first.map { "\(path) \(comparison) \($0)" }
    }

    private mutating func constant(
        _ value: RecordedValue, _ path: String, _ comparison: String,
        _ object: (RecordedObject) -> String
    ) -> String? {
        switch value {
        case .object(let other): return object(other)
        case .null: return "nil"
        default: break
        }
        guard let (owner, key) = names.end(of: path, from: entity),
            let kind = names.attribute(key, of: owner)?.kind,
            values.keeps(comparison, kind),
            let literal = values.literal(value, key, of: owner)
        else { return nil }
        switch kind {
        case .date: return values.seconds(value).map { "CAST(\($0), \"NSDate\")" }
        case .uuid: return "CAST(\(literal), \"NSUUID\")"
        case .binary: return "CAST(\(literal), \"NSData\")"
        case .uri: return nil
        case .decimal, .integer16, .integer32, .integer64, .double, .float, .boolean, .string:
            return literal
        }
    }
}

extension ValueText {
    var isFull: Bool { secrecy == .full }

    /// Whether the comparison has the same result with the tokens in the file as with the original
    /// values.
    func keeps(_ comparison: String, _ kind: RecordedAttribute.Kind) -> Bool {
        switch secrecy {
        case .full: return true
        case .none: return false
        case .hashed: break
        }
        if ["==", "!=", "IN"].contains(comparison) { return true }
        guard ["<", ">", "<=", ">="].contains(comparison) else { return false }
        switch kind {
        case .integer16, .integer32, .integer64, .double, .float, .decimal, .date: return true
        case .boolean, .string, .uuid, .binary, .uri: return false
        }
    }
}
