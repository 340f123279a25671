/// How a store computes the value of a derived attribute.
package enum Derivation: Sendable, Equatable {
    /// The time of the save that writes the row.
    case now
    /// The value of a slot at the end of a path of to-one relationships, optionally converted to a
    /// text form.
    ///
    /// The hops are the value slots of these relationships. The first hop is a slot of the
    /// attribute's entity. Each further hop is a slot of the previous hop's destination. Without
    /// hops, the value is in the same row.
    case value(hops: [Int], slot: Int, form: TextForm?)
    case count(members: Int)
    case aggregate(Aggregate, members: Int, slot: Int)

    /// A conversion of a string.
    package enum TextForm: String, Sendable {
        case canonical = "canonical:"
        case uppercase = "uppercase:"
        case lowercase = "lowercase:"
    }

    /// An aggregate function.
    package enum Aggregate: String, Sendable {
        case sum = "sum:"
        case average = "average:"
        case minimum = "min:"
        case maximum = "max:"
    }
}
