/// The list of all operations; each family adds its own.
extension Operation {
    /// Every operation of this program: the built-in ones, then those that a user's program added.
    package static var all: [Operation] { builtIn + UserOperations.all }

    package static let builtIn: [Operation] =
        reading + faulting + relationships + archives + writing + conflicts + merging + concurrent
        + crowds + results + imports + values

    /// The operation of a name.
    package static func named(_ name: String) -> Operation? { all.first { $0.name == name } }
}
