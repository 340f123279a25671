/// A workload from a file or a declaration. The suite runs its variants.
package struct Workload: Sendable {
    package var name: String
    package var about: String
    package var file: String
    /// The line of the declaration in a source file; nil for a workload file.
    package var line: Int?
    package var operation: Operation
    /// The parameters. Those of the data come before those of the operation.
    package var settings: [ParameterSetting]
    package var expectations: [CountPrediction]
    /// Values of parameters for each preset. They replace those of the file.
    package var presets: [String: [ParameterSetting]]

    package struct CountPrediction: Sendable {
        package var count: PredictableCount
        package var expression: CountExpression

        package init(count: PredictableCount, expression: CountExpression) {
            self.count = count
            self.expression = expression
        }
    }

    /// The parameters in the report. If a program creates the data, the data's parameters are
    /// omitted.
    var shownSettings: [ParameterSetting] {
        operation.library.isFilledBySamples
            ? settings.filter { !operation.shape.contains($0.spec) } : settings
    }

    /// Replaces the values of a parameter, if the workload has it.
    package mutating func set(_ setting: ParameterSetting) {
        for index in settings.indices where settings[index].spec == setting.spec {
            settings[index].values = setting.values
        }
    }

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

/// A variant of a workload. Every parameter has one value.
package struct WorkloadVariant: Sendable {
    package let operation: Operation
    package let parameters: [(name: String, value: ParameterValue)]
    package let swept: [String]

    init(operation: Operation, parameters: [(String, ParameterValue)], swept: [String]) {
        self.operation = operation
        self.parameters = parameters.map { (name: $0, value: $1) }
        self.swept = swept
    }

    /// The name of the variant in its workload, such as `batch=100`. If no parameter is swept, it
    /// is the name of the operation.
    package var name: String {
        let shown = parameters.filter { swept.contains($0.name) }
        return shown.isEmpty
            ? operation.name : shown.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }

    /// The value of a numeric parameter.
    ///
    /// - Precondition: the operation declares the parameter as a number.
    package func integer(_ name: String) -> Int {
        guard case .integer(let number)? = parameters.first(where: { $0.name == name })?.value
        else { preconditionFailure("\(operation.name) has no number named \(name)") }
        return number
    }

    /// The value of a word parameter.
    ///
    /// - Precondition: the operation declares the parameter as a word.
    package func word(_ name: String) -> String {
        guard case .word(let word)? = parameters.first(where: { $0.name == name })?.value
        else { preconditionFailure("\(operation.name) has no word named \(name)") }
        return word
    }

    package func with(_ name: String, _ value: Int) -> WorkloadVariant {
        WorkloadVariant(
            operation: operation,
            parameters: parameters.map { ($0.name, $0.name == name ? .integer(value) : $0.value) },
            swept: swept)
    }

    package var libraryFile: String { operation.library.libraryFile(self) }

    package var shape: DataShape {
        DataShape(
            authors: integer("authors"), books: integer("books"),
            titleBytes: integer("title-bytes"), seed: integer("seed"))
    }

    /// The values of the names in expressions: numbers, and 1 or 0 for each possible word.
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
