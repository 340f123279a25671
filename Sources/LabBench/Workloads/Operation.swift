import CBaseline
import LabResults

/// The work of a workload.
///
/// Each operation has an engine side and a C side, in the file of its family.
package struct Operation: Sendable {
    /// The operation's access to the file.
    package enum Access: Sendable {
        /// Only reads the library.
        case reads
        /// Changes a copy of the library; the rows at the end are compared with C's.
        case changes
        /// Changes a copy of the library in an order that depends on thread timing; the rows are
        /// not compared.
        case disturbs
        /// Begins with an empty file; the rows at the end are compared with C's.
        case creates
    }

    package let name: String
    /// The parameters of the data.
    package var shape = ParameterSpec.data
    /// The parameters in addition to those of the data.
    package var parameters: [ParameterSpec] = []
    package var access = Access.reads
    package var library = LibraryKind.books
    /// Generates the rows to insert; nil if the operation inserts none.
    var rows: (@Sendable (WorkloadVariant) -> Dataset)?
    /// The parameter that grows to find the exponent of the time, and its unit.
    package var scale = Scale(parameter: "authors", unit: "books")
    /// The figures that compare the variants of a workload with each other.
    package var derived: Derived?
    /// Whether the counts depend on thread timing.
    package var countsVary = false
    /// A sentence about the engine's work.
    package var sentence: @Sendable (WorkloadVariant) -> String
    /// A sentence about C's work; unused without a C side.
    package var twinSentence: @Sendable (WorkloadVariant) -> String
    var engine: EngineWork
    var twin: TwinWork?

    package struct Scale: Sendable {
        var parameter: String
        var unit: String
    }

    /// A figure that compares each variant with the first value of a parameter.
    package struct Derived: Sendable {
        var parameter: String
        /// The figure's name for a variant.
        var name: @Sendable (WorkloadVariant) -> String
        /// The figure from the variant's time and the first value's.
        var value: @Sendable (_ variant: WorkloadVariant, _ time: Double, _ first: Double) -> Double
    }

    /// All parameters.
    package var specs: [ParameterSpec] { shape + parameters }

    /// Whether the operation changes the file, so that each run needs a new copy.
    package var writes: Bool { access != .reads }

    init(
        _ name: String, parameters: [ParameterSpec] = [], access: Access = .reads,
        library: LibraryKind = .books, rows: (@Sendable (WorkloadVariant) -> Dataset)? = nil,
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
struct TwinWork: Sendable {
    /// Runs the operation on a file.
    var run: @Sendable (TwinRun, UnsafeMutablePointer<cb_result>) -> Void

    init(_ run: @escaping @Sendable (TwinRun, UnsafeMutablePointer<cb_result>) -> Void) {
        self.run = run
    }
}

/// The environment of an operation's C side.
struct TwinRun {
    /// The configurations of SQLite for C: the default, or the engine's.
    static let libraries: [String] = ["plain", "unaccounted"]

    let variant: WorkloadVariant
    let file: String
    /// The rows to insert; nil for operations that insert none.
    let dataset: Dataset?

    /// Configures SQLite as the parameter `twin` says, before a file is opened.
    func setUp(_ result: UnsafeMutablePointer<cb_result>) -> Bool {
        variant.word("twin") == "plain" || cb_keep_no_memory_account(result) == 1
    }
}
