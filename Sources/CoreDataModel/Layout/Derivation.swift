/// How a store computes the value of a derived attribute.
package enum Derivation: Sendable, Equatable {
    /// The moment of the save that writes the row.
    case now
    /// The value of a slot at the end of to-one relationships, perhaps written in another way.
    ///
    /// The hops are value slots, the first one of the attribute's entity, each further one of the
    /// entity that the one before leads to. Without hops the value is the row's own.
    case value(hops: [Int], slot: Int, form: TextForm?)
    /// The number of members of a to-many slot.
    case count(members: Int)
    /// What a function makes of the members' values in a slot of theirs.
    case aggregate(Aggregate, members: Int, slot: Int)

    /// Another way to write a text.
    package enum TextForm: String, Sendable {
        case canonical = "canonical:"
        case uppercase = "uppercase:"
        case lowercase = "lowercase:"
    }

    /// A function of many values.
    package enum Aggregate: String, Sendable {
        case sum = "sum:"
        case average = "average:"
        case minimum = "min:"
        case maximum = "max:"
    }
}
