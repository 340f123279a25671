/// One step of a session: a name and the statements that run without interruption.
package struct Step: Sendable {
    package let name: Located<String>
    package let text: String
    package let statements: [Statement]

    package init(name: Located<String>, text: String, statements: [Statement]) {
        self.name = name
        self.text = text
        self.statements = statements
    }
}

/// One statement of the step language.
package struct Statement: Sendable {
    package let position: SourcePosition
    package let text: String
    package let condition: Condition?
    /// Whether the statement runs off the context's queue. Scenarios demonstrate this misuse.
    package let isOffQueue: Bool
    /// Whether the predicate is checked only when the statement runs. A mistake in the predicate is
    /// then a finding of misuse.
    package let isUnchecked: Bool
    package let action: Action

    package init(
        position: SourcePosition, text: String, condition: Condition? = nil,
        isOffQueue: Bool = false, isUnchecked: Bool = false, action: Action
    ) {
        self.position = position
        self.text = text
        self.condition = condition
        self.isOffQueue = isOffQueue
        self.isUnchecked = isUnchecked
        self.action = action
    }
}

/// A condition `if NAME` or `unless NAME`. It tests whether the name has a value: an object, a
/// count above zero, or a value that is not nil. If NAME has no value, it tests whether the step
/// NAME has succeeded.
package struct Condition: Sendable {
    package let name: Located<String>
    package let holds: Bool

    package init(name: Located<String>, holds: Bool) {
        self.name = name
        self.holds = holds
    }
}

/// An object that a statement names. `name@CONTEXT` is the object with that name in another
/// context.
package struct ObjectReference: Sendable, Hashable {
    package let name: Located<String>
    package let context: Located<String>?

    package init(name: Located<String>, context: Located<String>? = nil) {
        self.name = name
        self.context = context
    }
}

package struct ObjectPath: Sendable {
    package let object: ObjectReference
    package let keys: [Located<String>]

    package init(object: ObjectReference, keys: [Located<String>]) {
        self.object = object
        self.keys = keys
    }

    package var keyPath: String { keys.map(\.value).joined(separator: ".") }
}

package struct Assignment: Sendable {
    package let key: Located<String>
    package let value: StepValue

    package init(key: Located<String>, value: StepValue) {
        self.key = key
        self.value = value
    }
}

package struct PathAssignment: Sendable {
    package let path: ObjectPath
    package let value: StepValue

    package init(path: ObjectPath, value: StepValue) {
        self.path = path
        self.value = value
    }
}

/// A value in a statement.
package indirect enum StepValue: Sendable {
    case literal(Located<Literal>)
    /// A name that a step bound to an object or a value.
    case reference(ObjectReference)
    case path(ObjectPath)
    /// The value of the matrix parameter `$name`.
    case parameter(Located<String>)
    case sum(StepValue, StepValue)
    case difference(StepValue, StepValue)
    case product(StepValue, StepValue)
}

/// A value that is written in the file. The attribute's type decides how the value is converted.
public enum Literal: Sendable, Hashable, CustomStringConvertible {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)

    /// The value as a scenario file writes it.
    public var description: String {
        switch self {
        case .null: "nil"
        case .flag(let flag): flag ? "true" : "false"
        case .integer(let integer): String(integer)
        case .number(let number): String(number)
        case .text(let text): "\"\(text)\""
        }
    }

    /// A scalar without quotes: a number, `true`, `false`, `nil` or a string.
    package init(plain text: String) {
        switch text {
        case "true": self = .flag(true)
        case "false": self = .flag(false)
        case "nil", "null", "~": self = .null
        default:
            if let integer = Int64(text) {
                self = .integer(integer)
            } else if let number = Double(text), text.first?.isLetter == false {
                self = .number(number)
            } else {
                self = .text(text)
            }
        }
    }
}

/// A query to fetch, count or observe.
package struct Query: Sendable {
    package let entity: Located<String>
    package let predicate: PredicateText?
    package let sort: [SortKey]
    package let limit: Int?
    package var offset: Int?
    package var batch: Int?
    package var prefetch: [Located<String>] = []
    package var flags: Set<Flag> = []

    /// Whether the query has options other than a condition and an order.
    var hasOptions: Bool {
        limit != nil || offset != nil || batch != nil || !prefetch.isEmpty || !flags.isEmpty
    }

    package enum Flag: String, Sendable, CaseIterable {
        case refreshing, realised
        case withoutPending = "without-pending"
        case withoutSubentities = "without-subentities"
    }

    package init(
        entity: Located<String>, predicate: PredicateText? = nil, sort: [SortKey] = [],
        limit: Int? = nil
    ) {
        self.entity = entity
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
    }
}

package struct SortKey: Sendable {
    package let keyPath: Located<String>
    package let isAscending: Bool

    package init(keyPath: Located<String>, isAscending: Bool) {
        self.keyPath = keyPath
        self.isAscending = isAscending
    }
}

/// A predicate format in which `$name` is an object, a value or a matrix parameter.
package struct PredicateText: Sendable {
    package let format: String
    package let variables: [Located<String>]
    package let collections: Set<String>
    /// The values of names that the file itself defines.
    package var constants: [String: Literal] = [:]
    let origin: TextOrigin
    let offset: Int

    /// Whether the condition compares the objects themselves with a collection: `SELF IN $name`.
    package func comparesSelf(with name: String) -> Bool {
        format.matches(of: /(?i:\bSELF\s+IN)\s+\$([A-Za-z0-9_]+)/).contains { $0.1 == name }
    }

    /// The position in the file of the character at an offset (in Unicode scalars) of the format.
    package func position(of scalarOffset: Int) -> SourcePosition {
        origin.position(of: offset + scalarOffset)
    }
}
