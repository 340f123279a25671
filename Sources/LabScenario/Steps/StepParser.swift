/// Parses one line of the step language: statements separated by `;`.
struct StepParser {
    var scanner: LineScanner
    /// The value of `$i` in a repeated statement.
    var counter: Int64?

    init(_ scalar: Tree.Scalar) {
        scanner = LineScanner(scalar)
    }

    mutating func statements() throws(LineFailure) -> [Statement] {
        var statements: [Statement] = []
        repeat {
            statements += try repeated()
        } while scanner.take(";") && !scanner.isAtEnd
        if !scanner.isAtEnd {
            throw LineFailure(
                position: scanner.position, what: "unexpected text follows the statement",
                instead: "remove it, or put ';' before the next statement")
        }
        return statements
    }

    /// Parses a statement; returns all repetitions if the statement begins with `repeat`.
    private mutating func repeated() throws(LineFailure) -> [Statement] {
        guard scanner.take("repeat") else { return [try statement()] }
        let place = scanner.position
        guard case .integer(let count) = try scanner.next(),
            (1...ScenarioLimits.repetitions).contains(count)
        else {
            throw LineFailure(
                position: place,
                what: "the repetitions are not a number from 1 to \(ScenarioLimits.repetitions)",
                instead: "write 'repeat 50 insert ENTITY with KEY = $i'")
        }
        let start = scanner
        defer { counter = nil }
        return try (1...count).map { number throws(LineFailure) in
            scanner = start
            counter = number
            return try statement()
        }
    }

    private mutating func statement() throws(LineFailure) -> Statement {
        let position = scanner.position
        let start = scanner.offset
        let condition = try condition()
        let isOffQueue = scanner.take("off-queue")
        let isUnchecked = scanner.take("unchecked")
        let action = try action()
        return Statement(
            position: position, text: text(from: start), condition: condition,
            isOffQueue: isOffQueue, isUnchecked: isUnchecked, action: action)
    }

    private func text(from start: Int) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scanner.scalars[start..<scanner.offset])
        let trimmed = String(text).drop { $0 == " " || $0 == "\n" }
        guard let counter else { return String(trimmed) }
        return String(trimmed).replacing(/\$i\b/, with: String(counter))
    }

    private mutating func condition() throws(LineFailure) -> Condition? {
        let holds: Bool
        if scanner.take("if") {
            holds = true
        } else if scanner.take("unless") {
            holds = false
        } else {
            return nil
        }
        let word = holds ? "if" : "unless"
        let name = try scanner.name(
            "the name after '\(word)'",
            instead: "write a name that a fetch, count or read has bound")
        if case .sign(let sign)? = try? scanner.peek(), sign != ";" {
            throw LineFailure(
                position: name.position,
                what: "a condition is one name, without a comparison or a path",
                instead: ForeignWords.condition(word, name.value, &scanner))
        }
        return Condition(name: name, holds: holds)
    }

    private mutating func action() throws(LineFailure) -> Action {
        let known = Verb.allCases.map(\.rawValue)
        let word = try scanner.name(
            "a verb", instead: "start the statement with one of \(known.joined(separator: ", "))")
        guard let verb = Verb(rawValue: word.value) else {
            throw LineFailure(
                position: word.position, what: "unknown verb '\(word.value)'",
                instead: ForeignWords.verbs[word.value]
                    ?? Suggestion.text(
                        for: word.value, among: known + Verb.prefixes, kind: "verb"))
        }
        do {
            return try action(verb)
        } catch {
            // Adds the grammar of the verb to the message, because the name of a missing word
            // explains too little.
            throw LineFailure(
                position: error.position, what: error.what,
                instead: "\(error.instead) — \(verb.grammar)")
        }
    }

    private mutating func action(_ verb: Verb) throws(LineFailure) -> Action {
        switch verb {
        case .insert: .object(try insert())
        case .make: .object(try make())
        case .register: .object(.register(try object()))
        case .set: .object(.set(try pathAssignments()))
        case .relate: .object(try relate())
        case .unrelate: .object(try unrelate())
        case .order: .object(try order())
        case .delete: .object(.delete(try object()))
        case .read: .object(.read(try path(), name: try resultName()))
        case .object: .object(.adopt(try object(), name: try newName()))
        case .lookUp: .object(.lookUp(try object(), name: try newName()))
        case .release: .object(.release(try name("the name")))
        case .fire: .object(.fire(try object()))
        case .refresh: .object(try refresh())
        case .detectConflicts: .object(.detectConflicts(try object()))
        case .obtainIDs: .object(.obtainIDs(endsHere ? [] : try objects()))
        case .state: try state()
        case .committed: .look(.committed(try path(), name: try resultName()))
        case .changed: .look(.changed(try object(), name: try resultName()))
        case .members: .look(.members(try path(), name: try resultName()))
        case .sameID: .look(.sameID(try object(), try object(), name: try resultName()))
        case .contextOf: .look(.contextOf(try object(), name: try resultName()))
        case .conflicts: .look(.conflicts(name: try resultName()))
        case .history: .look(.history(since: try token(), name: try resultName()))
        case .historyToken: .look(.historyToken(name: try requiredName()))
        case .save, .saveChain: .context(.save(try save(isChain: verb == .saveChain)))
        case .refreshAll: .context(.refreshAll)
        case .reset: .context(.reset)
        case .rollback: .context(.rollback)
        case .undo: .context(.undo)
        case .redo: .context(.redo)
        case .processPending: .context(.processPending)
        case .merge: .context(try merge())
        case .mergeRemote: .context(try mergeRemote())
        case .pin: .context(try pin())
        case .unpin: .context(.unpin)
        case .mergeHistory: .context(.mergeHistory(since: try token()))
        case .hookSaw:
            .context(.hookSaw(entity: try name("the entity"), name: try resultName()))
        case .fetch: .list(.fetch(try query(), name: try resultName()))
        case .count: .list(.count(try query(), name: try resultName()))
        case .watch: .list(try watch())
        case .shown: .list(try shown())
        case .batchInsert: .batch(try batch(.insert))
        case .batchUpdate: .batch(try batch(.update))
        case .batchDelete: .batch(try batch(.delete))
        case .policy: .setting(.policy(try policy()))
        case .automerge: .setting(.automerge(try onOrOff()))
        case .staleness: .setting(.staleness(try number()))
        case .deleteInaccessible: .setting(.deletesInaccessible(try onOrOff()))
        case .enqueue: .stack(.enqueue(block: try name("the block")))
        case .wait: .stack(.wait(block: try name("the block")))
        case .outside:
            .stack(.outside(sql: try quotedText("the statement"), name: try resultName()))
        case .migrate: .stack(.migrate(unique: try uniqueKeys()))
        case .removeStore: .stack(.removeStore)
        case .fail: .stack(.fail(at: try failurePoint()))
        }
    }

    private mutating func insert() throws(LineFailure) -> ObjectAction {
        let entity = try name("the entity")
        let handle = scanner.take("as") ? try name("the name after 'as'") : nil
        return .insert(entity: entity, name: handle, values: try assignments())
    }

    private mutating func relate() throws(LineFailure) -> ObjectAction {
        .relate(
            try path(), to: try after("to") { (self) throws(LineFailure) in try self.objects() })
    }

    private mutating func unrelate() throws(LineFailure) -> ObjectAction {
        let path = try path()
        return .unrelate(path, from: scanner.take("from") ? try objects() : [])
    }

    private mutating func refresh() throws(LineFailure) -> ObjectAction {
        let object = try object()
        if scanner.take("keep") { return .refresh(object, keepsChanges: true) }
        if scanner.take("discard") { return .refresh(object, keepsChanges: false) }
        throw failure(
            "'keep' or 'discard' is missing", "write 'keep' or 'discard' for unsaved changes")
    }

    private mutating func merge() throws(LineFailure) -> ContextAction {
        guard let choice = MergeChoice.allCases.first(where: { scanner.take($0.rawValue) }) else {
            throw failure(
                "'next', 'all', 'newest' or 'again' is missing",
                "write one of them to choose the did-save notifications to merge")
        }
        return .merge(
            choice,
            from: try after("from") { (self) throws(LineFailure) in try self.name("the context") })
    }

    private mutating func pathAssignments() throws(LineFailure) -> [PathAssignment] {
        try list { (self) throws(LineFailure) in
            let path = try self.path()
            let combination = ["+", "-", "*"].first { self.scanner.take($0) }
            try self.expect("=")
            let value = try self.operand()
            return PathAssignment(path: path, value: path.combined(combination, with: value))
        }
    }

    /// Parses `as NAME`, which names an object that another context has bound.
    private mutating func newName() throws(LineFailure) -> Located<String> {
        try after("as") { (self) throws(LineFailure) in try self.name("a name") }
    }
}

// MARK: Parts

extension StepParser {
    mutating func operand() throws(LineFailure) -> StepValue {
        var terms = 0
        var operand = try product(&terms)
        while true {
            let next = try? scanner.peek()
            if scanner.take("+") {
                operand = .sum(operand, try product(&terms))
            } else if scanner.take("-") {
                operand = .difference(operand, try product(&terms))
            } else if let sign = ["/", "%"].first(where: { next == .sign($0) }) {
                throw failure(
                    "'\(sign)' is not an operator",
                    "values can be added, subtracted and multiplied: write the quotient as a number"
                )
            } else {
                return operand
            }
        }
    }

    private mutating func product(_ terms: inout Int) throws(LineFailure) -> StepValue {
        var value = try term(&terms)
        while scanner.take("*") { value = .product(value, try term(&terms)) }
        return value
    }

    private mutating func term(_ terms: inout Int) throws(LineFailure) -> StepValue {
        terms += 1
        guard terms <= ScenarioLimits.terms else {
            throw LineFailure(
                position: scanner.position,
                what: "the sum has more than \(ScenarioLimits.terms) values",
                instead: "add them up in several statements")
        }
        let start = scanner.position
        switch try scanner.peek() {
        case .integer(let integer):
            _ = try scanner.next()
            return .literal(Located(.integer(integer), at: start))
        case .number(let number):
            _ = try scanner.next()
            return .literal(Located(.number(number), at: start))
        case .text(let text):
            _ = try scanner.next()
            return .literal(Located(.text(text), at: start))
        case .parameter(let name):
            _ = try scanner.next()
            if let counter, name == Self.counterName {
                return .literal(Located(.integer(counter), at: start))
            }
            return .parameter(Located(name, at: start))
        case .word(let word):
            if let literal = Self.constants[word] {
                _ = try scanner.next()
                return .literal(Located(literal, at: start))
            }
            let object = try object()
            let keys = try keys()
            return keys.isEmpty ? .reference(object) : .path(ObjectPath(object: object, keys: keys))
        case .sign("'"):
            throw failure("text needs double quotes", "write \(scanner.singleQuoted)")
        case .sign("("):
            throw failure(
                "values have no parentheses",
                "compute the part in another step, and use the name or property here")
        case .sign, .end:
            throw failure(
                "a value is missing", "write a number, \"text\", true, false, nil or a name")
        }
    }

    static let counterName = "i"

    private static let constants: [String: Literal] = [
        "true": .flag(true), "false": .flag(false), "nil": .null,
    ]

    mutating func object() throws(LineFailure) -> ObjectReference {
        let name = try name("the object's name")
        return ObjectReference(
            name: name, context: scanner.take("@") ? try self.name("the context after '@'") : nil)
    }

    mutating func objects() throws(LineFailure) -> [ObjectReference] {
        try list { (self) throws(LineFailure) in try self.object() }
    }

    mutating func path() throws(LineFailure) -> ObjectPath {
        let object = try object()
        let keys = try keys()
        if keys.isEmpty {
            throw failure("a property of '\(object.name.value)' is missing", "write OBJECT.KEY")
        }
        return ObjectPath(object: object, keys: keys)
    }

    mutating func keys() throws(LineFailure) -> [Located<String>] {
        var keys: [Located<String>] = []
        while scanner.take(".") { keys.append(try name("the key after '.'")) }
        return keys
    }

    mutating func resultName() throws(LineFailure) -> Located<String>? {
        scanner.take("->") ? try name("the name after '->'") : nil
    }

    mutating func name(_ what: String) throws(LineFailure) -> Located<String> {
        try scanner.name(what, instead: "write a name here")
    }

    mutating func expect(_ sign: String) throws(LineFailure) {
        if !scanner.take(sign) {
            throw failure("'\(sign)' is missing", "write it at this position")
        }
    }

    mutating func list<Element>(
        _ element: (inout Self) throws(LineFailure) -> Element
    ) throws(LineFailure) -> [Element] {
        var list = [try element(&self)]
        while scanner.take(",") { list.append(try element(&self)) }
        return list
    }

    mutating func after<Part>(
        _ word: String, _ part: (inout Self) throws(LineFailure) -> Part
    ) throws(LineFailure) -> Part {
        try expect(word)
        return try part(&self)
    }

    func failure(_ what: String, _ instead: String) -> LineFailure {
        LineFailure(position: scanner.position, what: what, instead: instead)
    }
}
