/// A fixed task in C that runs in every round if a workload has no C baseline.
///
/// Times of different days are not directly comparable. If each time is divided by the yardstick's
/// time in the same round, effects that slow down the whole machine cancel out.
enum Yardstick {
    static let variant: WorkloadVariant = {
        guard let operation = Operation.builtIn.first(where: { $0.name == "full-fetch" }) else {
            preconditionFailure(
                "the yardstick's operation does not exist; name an existing operation here")
        }
        return WorkloadVariant(
            operation: operation,
            parameters: operation.specs.map { spec in
                (spec.name, size[spec.name].map { .integer($0) } ?? spec.standard)
            }, swept: [])
    }()

    /// The number of runs in each process. A run takes only a millisecond or two. Several runs
    /// limit the effect of an interruption.
    static let runs = 15

    private static let size = ["authors": 200, "books": 50]
}
