extension StepParser {
    /// Whether the next token ends the statement.
    var endsHere: Bool {
        var copy = scanner
        return copy.isAtEnd || copy.take(";")
    }

    mutating func assignments() throws(LineFailure) -> [Assignment] {
        guard scanner.take("with") else { return [] }
        return try list { (self) throws(LineFailure) in
            let key = try self.name("a property")
            try self.expect("=")
            return Assignment(key: key, value: try self.operand())
        }
    }

    mutating func make() throws(LineFailure) -> ObjectAction {
        let entity = try name("the entity")
        try expect("as")
        let handle = try name("the name after 'as'")
        return .make(entity: entity, name: handle, values: try assignments())
    }

    mutating func order() throws(LineFailure) -> ObjectAction {
        .order(
            try path(), as: try after("as") { (self) throws(LineFailure) in try self.objects() })
    }

    mutating func pin() throws(LineFailure) -> ContextAction {
        .pin(to: scanner.take("to") ? try name("the context after 'to'") : nil)
    }

    /// Parses `since TOKEN`, which selects the history after a token.
    mutating func token() throws(LineFailure) -> Located<String>? {
        scanner.take("since") ? try name("the token after 'since'") : nil
    }

    mutating func save(isChain: Bool) throws(LineFailure) -> SaveForm {
        guard scanner.take("expecting") else { return SaveForm(isChain: isChain) }
        let start = scanner.position
        guard case .integer(let code) = try scanner.next(), (1...200_000).contains(code) else {
            throw LineFailure(
                position: start, what: "the error's number is missing",
                instead: "write the number, as in 'save expecting 133020'")
        }
        return SaveForm(isChain: isChain, expected: Int(code))
    }

    mutating func batch(_ kind: BatchStatement.Kind) throws(LineFailure) -> BatchStatement {
        let entity = try name("the entity")
        let values = kind == .delete ? [] : try assignments()
        if kind != .delete, values.isEmpty {
            throw failure("the batch writes nothing", "write 'with KEY = VALUE' here")
        }
        let query = kind == .insert ? Query(entity: entity) : try clauses(of: entity)
        if !query.sort.isEmpty || query.hasOptions {
            throw LineFailure(
                position: entity.position, what: "a batch allows no sort keys and no options",
                instead: "leave out everything but 'where'")
        }
        return BatchStatement(kind, query, values: values)
    }

    mutating func watch() throws(LineFailure) -> ListAction {
        let entity = try name("the entity")
        let sections = scanner.take("by") ? try name("the key that names sections") : nil
        let query = try clauses(of: entity)
        if query.sort.isEmpty || query.hasOptions {
            throw LineFailure(
                position: entity.position,
                what: "a results controller allows no options except sort keys",
                instead: "write only 'sort KEY' and 'where'")
        }
        return .watch(query, sections: sections, name: try requiredName())
    }

    mutating func requiredName() throws(LineFailure) -> Located<String> {
        if let name = try resultName() { return name }
        throw failure("the name of the results is missing", "write '-> NAME'")
    }

    mutating func shown() throws(LineFailure) -> ListAction {
        let list = try name("the name of the results")
        let isBySection = scanner.take("by-section")
        return .shown(list: list, isBySection: isBySection, name: try resultName())
    }

    mutating func uniqueKeys() throws(LineFailure) -> [UniqueKey] {
        try after("unique") { (self) throws(LineFailure) in
            try self.list { (self) throws(LineFailure) in
                let entity = try self.name("the entity")
                try self.expect(".")
                return UniqueKey(entity: entity, key: try self.name("the attribute after '.'"))
            }
        }
    }

    mutating func mergeRemote() throws(LineFailure) -> ContextAction {
        let source = try name("the context")
        let targets = try after("into") { (self) throws(LineFailure) in
            try self.list { (self) throws(LineFailure) in try self.name("a context") }
        }
        return .mergeRemote(from: source, into: targets)
    }

    mutating func policy() throws(LineFailure) -> Setting<Located<PolicyName>> {
        let start = scanner.position
        switch try scanner.next() {
        case .parameter(let name): return .parameter(Located(name, at: start))
        case .word(let word):
            return .value(Located(PolicyName(try policyText(from: word)), at: start))
        default:
            throw LineFailure(
                position: start, what: "the policy is missing",
                instead: "write one of \(PolicyName.builtIn.joined(separator: ", "))")
        }
    }

    /// Parses a policy's name with its argument, up to the end of the statement.
    private mutating func policyText(from word: String) throws(LineFailure) -> String {
        var text = word
        while !endsHere {
            switch try scanner.next() {
            case .word(let next): text += text.hasSuffix(".") ? next : " \(next)"
            case .sign("."): text += "."
            default: throw failure("unexpected text follows the policy", "remove it")
            }
        }
        return text
    }

    mutating func onOrOff() throws(LineFailure) -> Bool {
        if scanner.take("on") { return true }
        if scanner.take("off") { return false }
        throw failure("'on' or 'off' is missing", "write 'on' or 'off'")
    }

    mutating func failurePoint() throws(LineFailure) -> FailurePoint {
        for point in FailurePoint.allCases where scanner.take(point.rawValue) { return point }
        throw failure(
            "the failure has no point",
            "write one of \(FailurePoint.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    mutating func number() throws(LineFailure) -> Double {
        let start = scanner.position
        switch try scanner.next() {
        case .integer(let integer): return Double(integer)
        case .number(let number): return number
        default:
            throw LineFailure(
                position: start, what: "a number is missing", instead: "write seconds, or -1")
        }
    }

    mutating func quotedText(_ what: String) throws(LineFailure) -> String {
        let start = scanner.position
        if case .text(let text) = try scanner.next(), !text.isEmpty { return text }
        throw LineFailure(
            position: start, what: "\(what) is missing", instead: "write the text in double quotes")
    }

    mutating func state() throws(LineFailure) -> Action {
        let first = try name("the object or the state")
        let isContext: Bool
        switch try scanner.peek() {
        case .word, .sign("@"): isContext = false
        default: isContext = true
        }
        if isContext {
            guard let flag = ContextFlag(rawValue: first.value) else {
                throw unknownFlag(first, ContextFlag.allCases.map(\.rawValue))
            }
            return .context(.state(flag, name: try resultName()))
        }
        let owner = scanner.take("@") ? try name("the context after '@'") : nil
        let word = try name("the state")
        guard let flag = ObjectFlag(rawValue: word.value) else {
            throw unknownFlag(word, ObjectFlag.allCases.map(\.rawValue))
        }
        let object = ObjectReference(name: first, context: owner)
        return .object(.state(object, flag, name: try resultName()))
    }

    private func unknownFlag(_ word: Located<String>, _ known: [String]) -> LineFailure {
        LineFailure(
            position: word.position, what: "'\(word.value)' is not a state",
            instead: Suggestion.text(for: word.value, among: known, kind: "state"))
    }
}
