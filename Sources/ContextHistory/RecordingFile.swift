/// The contents of a recording's file, for a JSON encoder and decoder.
///
/// Objects, contexts and properties are names. `init(_:)` and ``recording()`` convert between the
/// file and the history.
package struct RecordingFile: Codable, Sendable {
    package var format = Recording.format
    var name: String
    var reason: String
    var values: String
    var missing: [String]
    var entities: [Entity]
    var contexts: [Context]
    /// The entity of each object.
    var objects: [String: String]
    var events: [Event]

    struct Entity: Codable, Sendable {
        var name: String
        /// The properties, in the order of the values of rows.
        var keys: [String]
        /// For each one-to-one relationship, the position of its inverse in the keys of the
        /// destination.
        var inverses: [String: Int]?
    }

    struct Context: Codable, Sendable {
        var name: String
        var parent: String?
    }

    struct Event: Codable, Sendable {
        var step: String
        var context: String
        var kind: Kind
        var object: String?
        var key: String?
        var value: ObservedValue?
        var version: Int?
        /// The read from which a value that was set seems to be computed.
        var computedFrom: Reading?
        var entity: String?
        var query: String?
        var found: [String]?
        var count: Int?
        /// The values of every object that the query finds, by property.
        var equals: [String: ObservedValue]?
        var keepsChanges: Bool?
        var block: String?
        var on: String?
        /// The parent into which a context saved; nil for a save into a store.
        var into: String?
        var policy: String?
        var changes: [Change]?
        var code: Int?
        var culprits: [String]?
        var pending: [String]?
        var from: String?
        var savedIn: String?
        var inserted: [String]?
        var updated: [String]?
        var deleted: [String]?

        init(_ kind: Kind, step: String, context: String) {
            self.kind = kind
            self.step = step
            self.context = context
        }
    }

    enum Kind: String, Codable, Sendable {
        case read, set, fetch, save, saveFailed, drop, refresh, merge, enqueue, beginBlock
        case endBlock
    }

    struct Reading: Codable, Sendable {
        var object: String
        var key: String
        var value: ObservedValue
        var version: Int
    }

    struct Snapshot: Codable, Sendable {
        var version: Int
        var values: [ObservedValue]
    }

    struct Change: Codable, Sendable {
        var object: String
        var base: Snapshot?
        var before: Snapshot?
        var wanted: [String: ObservedValue]?
        var named: [String]?
        var decided: [String]?
        var after: Snapshot?
        var isDelete: Bool?
    }
}

/// A value as JSON: numbers, strings, Booleans and null are themselves; an object is
/// `{"object": NAME}`, and an unknown value is `{}`.
extension ObservedValue: Codable {
    private enum Keys: String, CodingKey { case object }

    package init(from decoder: any Decoder) throws {
        if let fields = try? decoder.container(keyedBy: Keys.self) {
            if let alias = try fields.decodeIfPresent(String.self, forKey: .object) {
                self = .object(alias)
            } else {
                self = .unknown
            }
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let flag = try? single.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? single.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? single.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try single.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var single = encoder.singleValueContainer()
            try single.encodeNil()
        case .flag(let flag): try flag.encode(to: encoder)
        case .integer(let integer): try integer.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        case .text(let text): try text.encode(to: encoder)
        case .object(let alias):
            var fields = encoder.container(keyedBy: Keys.self)
            try fields.encode(alias, forKey: .object)
        case .unknown, .none, .list: _ = encoder.container(keyedBy: Keys.self)
        }
    }
}
