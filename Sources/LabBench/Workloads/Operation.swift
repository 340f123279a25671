import CYardstick

/// The work of a workload.
///
/// An operation has an engine side, and a C side unless a user declares it.
package struct Operation: Sendable {
    /// The access of the operation to the file.
    package enum Access: Sendable {
        /// The operation only reads the library.
        case reads
        /// The operation changes a copy of the library. At the end, its rows are compared with
        /// those of the C side.
        case changes
        /// The operation changes a copy of the library. The order of the changes depends on the
        /// timing of threads, so the rows are not compared.
        case disturbs
        /// The operation begins with an empty file. At the end, its rows are compared with those of
        /// the C side.
        case creates
    }

    package let name: String
    package var shape = ParameterSpec.data
    package var parameters: [ParameterSpec] = []
    package var access = Access.reads
    package var library: any LibraryKind
    /// Generates the rows to insert; nil if the operation inserts none.
    var rows: (@Sendable (WorkloadVariant) -> Dataset)?
    /// The parameter that is varied to measure how the time grows, and its unit.
    package var scale = Scale(parameter: "authors", unit: "books")
    /// A figure that compares the variants of a workload with each other.
    package var derived: Derived?
    /// Whether the counts depend on the timing of threads.
    package var countsVary = false
    /// A sentence about the work of the engine side.
    package var sentence: @Sendable (WorkloadVariant) -> String
    /// A sentence about the work of the C side. It is unused if the operation has no C side.
    package var twinSentence: @Sendable (WorkloadVariant) -> String
    var engine: EngineWork
    var twin: TwinWork?

    package struct Scale: Sendable {
        var parameter: String
        var unit: String

        package init(parameter: String, unit: String) {
            self.parameter = parameter
            self.unit = unit
        }
    }

    /// A figure that compares each variant with the first value of a parameter.
    package struct Derived: Sendable {
        var parameter: String
        var name: @Sendable (WorkloadVariant) -> String
        /// Computes the figure from the time of a variant and that of the first value.
        var value: @Sendable (_ variant: WorkloadVariant, _ time: Double, _ first: Double) -> Double

        package init(
            parameter: String, name: @escaping @Sendable (WorkloadVariant) -> String,
            value:
                @escaping @Sendable (
                    _ variant: WorkloadVariant, _ time: Double, _ first: Double
                ) -> Double
        ) {
            self.parameter = parameter
            self.name = name
            self.value = value
        }
    }

    package var specs: [ParameterSpec] { shape + parameters }

    /// Whether the operation changes the file. Each run then needs a new copy.
    package var writes: Bool { access != .reads }

    package init(
        _ name: String, parameters: [ParameterSpec] = [], access: Access = .reads,
        library: any LibraryKind, rows: (@Sendable (WorkloadVariant) -> Dataset)? = nil,
        scale: Scale = Scale(parameter: "authors", unit: "books"),
        derived: Derived? = nil, countsVary: Bool = false,
        sentence: @escaping @Sendable (WorkloadVariant) -> String,
        twinSentence: @escaping @Sendable (WorkloadVariant) -> String, engine: EngineWork,
        twin: TwinWork?
    ) {
        self.name = name
        self.parameters = parameters
        self.access = access
        self.library = library
        self.rows = rows
        self.scale = scale
        self.derived = derived
        self.countsVary = countsVary
        self.sentence = sentence
        self.twinSentence = twinSentence
        self.engine = engine
        self.twin = twin
    }
}

extension Operation: Equatable {
    package static func == (left: Operation, right: Operation) -> Bool { left.name == right.name }
}

/// The C side of an operation.
package struct TwinWork: Sendable {
    let run: @Sendable (TwinRun, UnsafeMutablePointer<cb_result>) -> Void

    package init(_ run: @escaping @Sendable (TwinRun, UnsafeMutablePointer<cb_result>) -> Void) {
        self.run = run
    }
}

/// The parameters of an operation's C side.
package struct TwinRun {
    /// The configurations of SQLite on the C side: SQLite's default, or that of the engine.
    package static let libraries: [String] = ["plain", "unaccounted"]

    package let variant: WorkloadVariant
    package let file: String
    package let dataset: Dataset?

    /// Configures SQLite according to the parameter `twin`. The caller does this before it opens a
    /// file.
    package func setUp(_ result: UnsafeMutablePointer<cb_result>) -> Bool {
        variant.word("twin") == "plain" || cb_keep_no_memory_account(result) == 1
    }
}
