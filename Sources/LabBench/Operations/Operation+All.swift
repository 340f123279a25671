/// The list of all operations, by family.
extension Operation {
    /// Every operation of this program. The built-in operations precede those that a user's program
    /// has added.
    package static var all: [Operation] { builtIn + UserOperations.all }

    package static let builtIn: [Operation] =
        reading + faulting + relationships + archives + writing + conflicts + merging + concurrent
        + crowds + results + imports + values

    /// The operation with a name.
    package static func named(_ name: String) -> Operation? { all.first { $0.name == name } }
}
