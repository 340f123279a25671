/// The value of a parameter in one variant of a workload, from a workload file or the command line.
package enum ParameterValue: Sendable, Hashable, CustomStringConvertible {
    case integer(Int)
    case word(String)

    package var description: String {
        switch self {
        case .integer(let number): String(number)
        case .word(let word): word
        }
    }
}

/// A parameter of an operation or of the data.
package struct ParameterSpec: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case integer(ClosedRange<Int>)
        case word([String])
    }

    package let name: String
    package let kind: Kind
    /// The default value, if a file does not set the parameter.
    package let standard: ParameterValue

    package static func integer(_ name: String, _ range: ClosedRange<Int>, _ standard: Int) -> Self
    {
        ParameterSpec(name: name, kind: .integer(range), standard: .integer(standard))
    }

    package static func word(_ name: String, _ words: [String]) -> Self {
        ParameterSpec(name: name, kind: .word(words), standard: .word(words[0]))
    }

    /// The parameters of the data, which every workload has.
    package static let data: [ParameterSpec] = {
        let usual = DataShape()
        return [
            .integer("authors", 1...1_000_000, usual.authors),
            .integer("books", 1...1_000_000, usual.books),
            .integer("title-bytes", 1...1_000_000, usual.titleBytes),
            .seed,
        ]
    }()

    static let seed = ParameterSpec.integer("seed", 0...Int.max, DataShape().seed)

    package func value(_ text: String) -> ParameterValue? {
        switch kind {
        case .integer(let range):
            guard let number = Int(text.filter { $0 != "_" }), range.contains(number) else {
                return nil
            }
            return .integer(number)
        case .word(let words):
            return words.contains(text) ? .word(text) : nil
        }
    }

    /// The names that expressions may use. A number has the parameter's name. Each possible word is
    /// a name with the value 1 or 0.
    package var expressionNames: [String] {
        switch kind {
        case .integer: [name]
        case .word(let words): words
        }
    }

    package var remedy: String {
        switch kind {
        case .integer(let range) where range.upperBound == Int.max:
            "write a whole number, \(range.lowerBound) or more"
        case .integer(let range):
            "write a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .word(let words): "write one of \(words.joined(separator: ", "))"
        }
    }
}

/// A parameter of a workload with its values.
package struct ParameterSetting: Sendable, Hashable {
    package var spec: ParameterSpec
    /// The values. A swept parameter has several.
    package var values: [ParameterValue]

    package init(spec: ParameterSpec, values: [ParameterValue]) {
        self.spec = spec
        self.values = values
    }
}
