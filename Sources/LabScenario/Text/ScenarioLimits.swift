/// How large a scenario may be. The reader refuses more with its place, before anything is made of
/// it, and the reference page lists it.
package enum ScenarioLimits {
    /// The most cells of a matrix: the product of its parameters' numbers of values.
    package static let cells = 10_000
    /// The most values that one sum adds and subtracts.
    package static let terms = 100
    /// How often `repeat` runs a statement.
    package static let repetitions: Int64 = 1_000
    /// The most statements that `repeat` makes in one scenario.
    package static let repeated = 20_000
    /// The most characters of one value.
    package static let characters = 20_000
}
