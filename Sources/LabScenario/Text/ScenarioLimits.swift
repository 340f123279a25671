/// The maximum size of a scenario. The reader refuses a larger scenario before it decodes the file,
/// and the reference page lists the limits.
package enum ScenarioLimits {
    /// The maximum number of cells of a matrix: the product of the numbers of values of all
    /// parameters.
    package static let cells = 10_000
    /// The maximum number of values that one sum adds and subtracts.
    package static let terms = 100
    /// The maximum number of runs of a statement by one `repeat`.
    package static let repetitions: Int64 = 1_000
    /// The maximum number of statements that `repeat` creates in one scenario.
    package static let repeated = 20_000
    /// The maximum number of characters of one value.
    package static let characters = 20_000
}
