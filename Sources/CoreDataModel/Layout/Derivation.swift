/// How a store computes the value of a derived attribute.
package enum Derivation: Sendable, Equatable {
    /// The time of the save that writes the row.
    case now
    /// The value of a slot at the end of to-one relationships, optionally in another text form.
    ///
    /// The hops are the value slots of these relationships. The first belongs to the attribute's
    /// entity, and each further slot belongs to the destination of the previous hop. Without hops,
    /// the value is in the row itself.
    case value(hops: [Int], slot: Int, form: TextForm?)
    /// The number of members of a to-many slot.
    case count(members: Int)
    /// The result of a function over one slot of the members.
    case aggregate(Aggregate, members: Int, slot: Int)

    /// A form to which a text is converted.
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
