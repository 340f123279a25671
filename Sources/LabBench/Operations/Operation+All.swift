/// The list of all operations, by family.
extension Operation {
    /// Every operation of this program. The built-in ones come before those of a user's program.
    package static var all: [Operation] { builtIn + UserOperations.all }

    package static let builtIn: [Operation] =
        reading + faulting + relationships + archives + writing + conflicts + merging + concurrent
        + crowds + results + imports + values

    package static func named(_ name: String) -> Operation? { all.first { $0.name == name } }
}
