/// The maximum size of a scenario. The reader rejects a larger scenario before it decodes the file.
/// The reference page lists the limits.
package enum ScenarioLimits {
    /// The maximum number of cells of a matrix, which is the product of its numbers of values.
    package static let cells = 10_000
    /// The maximum number of operands of one sum.
    package static let terms = 100
    /// The maximum number of times that one `repeat` runs a statement.
    package static let repetitions: Int64 = 1_000
    /// The maximum number of statements that `repeat` creates in one scenario.
    package static let repeated = 20_000
    /// The maximum number of characters of one value.
    package static let characters = 20_000
}
