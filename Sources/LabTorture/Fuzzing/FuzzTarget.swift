/// A reader of untrusted input, and where inputs for it come from.
///
/// Workers run it; see ``FuzzTargets`` for all there are.
package struct FuzzTarget: Sendable {
    /// What reports and the corpus call it, such as `predicates`.
    package let name: String
    let source: any FuzzSource
    /// Reads an input. It must end: with a value, with a typed error, or with a sentence about a
    /// value that did not survive being written and read again.
    package let run: @Sendable ([UInt8]) -> FuzzVerdict

    init(
        _ name: String, _ source: any FuzzSource,
        run: @escaping @Sendable ([UInt8]) -> FuzzVerdict
    ) {
        self.name = name
        self.source = source
        self.run = run
    }

    /// The input of an attempt: the same bytes for the same seed and number, as long as the seeds
    /// of the source are the same.
    package func input(of attempt: Int, seed: UInt64) -> [UInt8] {
        var random = FuzzRandom(seed: seed, target: name, attempt: attempt)
        return source.input(&random)
    }

    /// An input without damage.
    package var plainInput: [UInt8] { source.plain }
}

/// What reading an input came to.
package enum FuzzVerdict: Sendable, Equatable {
    case accepted
    /// The reader refused it with an error.
    case refused
    /// The reader took it and broke a promise, such as that it reads what it wrote.
    case broken(String)
}

/// Something that makes inputs.
protocol FuzzSource: Sendable {
    /// One that a reader takes as it is.
    var plain: [UInt8] { get }

    func input(_ random: inout FuzzRandom) -> [UInt8]
}
