/// A reader of untrusted input, and the generator of its inputs.
///
/// Workers run it. ``FuzzTargets`` lists all targets.
package struct FuzzTarget: Sendable {
    /// The name in reports and in the corpus, such as `predicates`.
    package let name: String
    let source: any FuzzSource
    /// Reads an input. The verdict is ``FuzzVerdict/broken(_:)`` if a guarantee is broken. For
    /// example, the value changes when it is written and read again.
    package let run: @Sendable ([UInt8]) -> FuzzVerdict

    init(
        _ name: String, _ source: any FuzzSource,
        run: @escaping @Sendable ([UInt8]) -> FuzzVerdict
    ) {
        self.name = name
        self.source = source
        self.run = run
    }

    /// Generates the input of an attempt. The same seed, number and source yield the same bytes.
    package func input(of attempt: Int, seed: UInt64) -> [UInt8] {
        var random = FuzzRandom(seed: seed, target: name, attempt: attempt)
        return source.input(&random)
    }

    /// An undamaged input.
    package var plainInput: [UInt8] { source.plain }
}

/// The result of reading an input.
package enum FuzzVerdict: Sendable, Equatable {
    case accepted
    /// The reader refused the input with an error.
    case refused
    /// The reader accepted the input but broke a guarantee. For example, it cannot read its own
    /// output.
    case broken(String)
}

/// A generator of inputs.
protocol FuzzSource: Sendable {
    /// An input that the reader must accept.
    var plain: [UInt8] { get }

    func input(_ random: inout FuzzRandom) -> [UInt8]
}
