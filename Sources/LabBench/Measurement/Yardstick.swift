/// The work in C that is done in every round where a workload has no C side of its own.
///
/// A saved time means little on another day; divided by the yardstick's time of the same round,
/// what slowed the whole machine cancels out.
enum Yardstick {
    /// A fetch of all books of a small file.
    static let variant: WorkloadVariant = {
        guard let operation = Operation.builtIn.first(where: { $0.name == "full-fetch" }) else {
            preconditionFailure("the yardstick's operation is gone; name another one here")
        }
        return WorkloadVariant(
            operation: operation,
            parameters: operation.specs.map { spec in
                (spec.name, size[spec.name].map { .integer($0) } ?? spec.standard)
            }, swept: [])
    }()

    /// Runs in each process: each takes a millisecond or two, so that one which was interrupted
    /// must not decide.
    static let runs = 15

    private static let size = ["authors": 200, "books": 50]
}
