/// A workload from a file or a declaration.
///
/// The file reader creates workloads, and the suite runs their variants.
package struct Workload: Sendable {
    package var name: String
    /// A sentence about what the workload shows.
    package var about: String
    /// The path of the file as the user wrote it.
    package var file: String
    /// The line of the declaration in a source file; nil for a workload file.
    package var line: Int?
    package var operation: Operation
    /// The parameters: first those of the data's shape, then those of the operation.
    package var settings: [ParameterSetting]
    package var expectations: [CountPrediction]
    /// Parameter values that replace those of the file, for each preset.
    package var presets: [String: [ParameterSetting]]

    /// A count that the file predicts.
    package struct CountPrediction: Sendable {
        package var count: PredictableCount
        package var expression: CountExpression

        package init(count: PredictableCount, expression: CountExpression) {
            self.count = count
            self.expression = expression
        }
    }

    /// The parameters in the report. Parameters of the data are omitted if a program creates the
    /// data.
    var shownSettings: [ParameterSetting] {
        operation.library.isFilledBySamples
            ? settings.filter { !operation.shape.contains($0.spec) } : settings
    }

    /// Replaces the values of a parameter. Does nothing if the workload lacks the parameter.
    package mutating func set(_ setting: ParameterSetting) {
        for index in settings.indices where settings[index].spec == setting.spec {
            settings[index].values = setting.values
        }
    }

    /// The workload with the sizes of a preset.
    package func applying(preset: String) -> Workload {
        var result = self
        for setting in presets[preset] ?? [] { result.set(setting) }
        return result
    }

    /// Every combination of the swept values. The last parameter changes fastest.
    package var variants: [WorkloadVariant] {
        var combinations: [[(String, ParameterValue)]] = [[]]
        for setting in settings {
            combinations = combinations.flatMap { head in
                setting.values.map { head + [(setting.spec.name, $0)] }
            }
        }
        let swept = settings.filter { $0.values.count > 1 }.map(\.spec.name)
        return combinations.map {
            WorkloadVariant(operation: operation, parameters: $0, swept: swept)
        }
    }
}

/// One variant of a workload, in which every parameter has one value.
package struct WorkloadVariant: Sendable {
    package let operation: Operation
    package let parameters: [(name: String, value: ParameterValue)]
    package let swept: [String]

    init(operation: Operation, parameters: [(String, ParameterValue)], swept: [String]) {
        self.operation = operation
        self.parameters = parameters.map { (name: $0, value: $1) }
        self.swept = swept
    }

    /// The name of the variant within its workload, such as `batch=100`; the name of the operation
    /// if no parameter is swept.
    package var name: String {
        let shown = parameters.filter { swept.contains($0.name) }
        return shown.isEmpty
            ? operation.name : shown.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }

    /// The value of a numeric parameter.
    ///
    /// - Precondition: The operation declares the parameter as a number.
    package func integer(_ name: String) -> Int {
        guard case .integer(let number)? = parameters.first(where: { $0.name == name })?.value
        else { preconditionFailure("\(operation.name) has no number named \(name)") }
        return number
    }

    /// The value of a word parameter.
    ///
    /// - Precondition: The operation declares the parameter as a word.
    package func word(_ name: String) -> String {
        guard case .word(let word)? = parameters.first(where: { $0.name == name })?.value
        else { preconditionFailure("\(operation.name) has no word named \(name)") }
        return word
    }

    /// The variant with a different value for one parameter.
    package func with(_ name: String, _ value: Int) -> WorkloadVariant {
        WorkloadVariant(
            operation: operation,
            parameters: parameters.map { ($0.name, $0.name == name ? .integer(value) : $0.value) },
            swept: swept)
    }

    /// The name of the data file of the variant.
    package var libraryFile: String { operation.library.libraryFile(self) }

    package var shape: DataShape {
        DataShape(
            authors: integer("authors"), books: integer("books"),
            titleBytes: integer("title-bytes"), seed: integer("seed"))
    }

    /// The values of the names in expressions: numbers, and 1 or 0 for each possible word of a
    /// parameter.
    package var numbers: [String: Int] {
        var result: [String: Int] = [:]
        for spec in operation.specs {
            switch spec.kind {
            case .integer: result[spec.name] = integer(spec.name)
            case .word(let words):
                for each in words { result[each] = each == word(spec.name) ? 1 : 0 }
            }
        }
        return result
    }
}
