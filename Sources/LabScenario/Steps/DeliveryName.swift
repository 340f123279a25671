/// The name of a delivery, which is queued work that runs when the schedule chooses it. `~m(W→M)`
/// is the merge of a save of W into M, and `~NAME` is a block. `#2` after a name means the second
/// delivery with that name.
package struct DeliveryName: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        case merge(from: String, into: String)
        case block(String)
    }

    package let kind: Kind
    /// The number of the delivery, counted from 1 in the order of enqueuing.
    package let number: Int

    package init(_ kind: Kind, number: Int = 1) {
        self.kind = kind
        self.number = number
    }

    package var description: String {
        let name =
            switch kind {
            case .merge(let source, let target): "~m(\(source)→\(target))"
            case .block(let block): "~\(block)"
            }
        return number == 1 ? name : "\(name)#\(number)"
    }
}

/// A step or a delivery for which another step waits.
package enum Requirement: Sendable {
    case step(Located<String>)
    case delivery(Located<DeliveryName>)

    var text: String {
        switch self {
        case .step(let name): name.value
        case .delivery(let name): name.value.description
        }
    }
}

extension StepParser {
    private var isAtDelivery: Bool { (try? scanner.peek()) == .sign("~") }

    mutating func requirement() throws(LineFailure) -> Requirement {
        let start = scanner.position
        if !isAtDelivery { return .step(try name("the step after 'requires'")) }
        _ = scanner.take("~")
        let kind = try deliveryKind()
        return .delivery(Located(DeliveryName(kind, number: try deliveryNumber()), at: start))
    }

    /// Parses the name of the step that has the requirement. The name of a delivery is an error
    /// here.
    mutating func requiringStep() throws(LineFailure) -> Located<String> {
        if !isAtDelivery { return try name("the step") }
        throw LineFailure(
            position: scanner.position,
            what: "a delivery cannot require a step: it only waits for its cause",
            instead: "name a step of a session here, and the delivery after 'requires'")
    }

    private mutating func deliveryKind() throws(LineFailure) -> DeliveryName.Kind {
        let start = scanner.position
        let name = try name("the name of a delivery")
        guard scanner.take("(") else { return .block(name.value) }
        if name.value != "m" {
            throw LineFailure(
                position: start, what: "'~\(name.value)(' does not begin a delivery",
                instead: "write ~m(CONTEXT→CONTEXT) for a merge, ~NAME for a block")
        }
        let source = try self.name("the context that saves")
        guard scanner.take("→") || scanner.take("->") || scanner.take(">") else {
            throw LineFailure(
                position: scanner.position, what: "the arrow between two contexts is missing",
                instead: "write ~m(\(source.value)→CONTEXT)")
        }
        let target = try self.name("the context that merges")
        try expect(")")
        return .merge(from: source.value, into: target.value)
    }

    private mutating func deliveryNumber() throws(LineFailure) -> Int {
        guard scanner.take("#") else { return 1 }
        let start = scanner.position
        if case .integer(let number) = try scanner.next(), number > 0,
            let exact = Int(exactly: number)
        {
            return exact
        }
        throw LineFailure(
            position: start, what: "the number after '#' is missing",
            instead: "write #2 for the second delivery of that name")
    }
}
