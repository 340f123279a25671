/// One parameter of a matrix and its values.
package struct MatrixAxis: Sendable {
    package let name: Located<String>
    package var values: [Located<Literal>]

    package init(name: Located<String>, values: [Located<Literal>]) {
        self.name = name
        self.values = values
    }
}

/// A combination of values, one for each parameter.
package struct MatrixCell: Sendable, Hashable, CustomStringConvertible {
    package struct Value: Sendable, Hashable {
        package let name: String
        package let value: Literal

        package init(name: String, value: Literal) {
            self.name = name
            self.value = value
        }

        package var text: String {
            if case .text(let text) = value { return text }
            return value.description
        }
    }

    package let values: [Value]

    package init(values: [Value]) {
        self.values = values
    }

    package subscript(name: String) -> Value? { values.first { $0.name == name } }

    /// The label of the cell: `policy=error,journal=wal`, or `-` without parameters.
    package var description: String {
        values.isEmpty ? "-" : values.map { "\($0.name)=\($0.text)" }.joined(separator: ",")
    }
}
