import BenchResults
import LabFiles

/// The implementation of a workload that runs.
///
/// The same build writes and reads the requests, so the JSON format has no version.
package enum Side: String, Codable, Sendable, CaseIterable {
    case engine
    case twin
    case peer
}

/// The task of one measuring process.
package struct SampleRequest: Codable, Sendable {
    package enum Pass: String, Codable, Sendable {
        /// Creates the data file. Reading workloads open it, and writing workloads copy it.
        case prepare
        case timing
        /// Runs the operation once with all counters on. Its time is not used.
        case counting
        /// Runs the operation once with a counting allocator and without other counters.
        case allocations
    }

    package var pass: Pass
    package var side: Side
    package var operation: String
    package var parameters: [BenchResult.Parameter]
    package var warmUps: Int
    package var runs: Int
    /// The file with the data for the workload's shape.
    package var library: String
    /// A folder that only this process uses.
    package var folder: String
    /// A deliberate regression of the engine side. Tests check that the gate detects it.
    package var plant: Plant?
    /// The workload file that describes the operation; nil for a built-in or declared operation.
    package var workloadFile: String?
    /// An empty file with the schema of authors and books, into which peers can insert rows.
    package var emptyFile: String?

    package init(
        pass: Pass, side: Side, variant: WorkloadVariant, warmUps: Int, runs: Int,
        library: String, folder: String, plant: Plant? = nil, emptyFile: String? = nil
    ) {
        self.pass = pass
        self.side = side
        operation = variant.operation.name
        parameters = variant.parameters.map { .init($0.name, $0.value.description) }
        self.warmUps = warmUps
        self.runs = runs
        self.library = library
        workloadFile = (variant.operation.library as? any MadeLibrary)?.file
        self.folder = folder
        self.plant = plant
        self.emptyFile = emptyFile
    }

    var variant: WorkloadVariant? {
        // The sender of the request has already checked the paths in the workload file.
        let described = workloadFile.flatMap {
            try? WorkloadFile.read($0, scope: .everything).operation
        }
        let known =
            operation == Yardstick.name ? Yardstick.operation : KnownOperations.named(operation)
        guard let operation = described ?? known else { return nil }
        let values = operation.specs.map { spec in
            let given = parameters.first { $0.name == spec.name }.flatMap { spec.value($0.value) }
            return (spec.name, given ?? spec.standard)
        }
        return WorkloadVariant(operation: operation, parameters: values, swept: [])
    }
}

package struct SampleReply: Codable, Sendable {
    package var nanoseconds: [Int64]
    /// The checksum of the values that a run read or wrote.
    package var checksum: String
    package var counts: BenchCounts
    package var statements: [StatementCount]
    package var peakMemoryBytes: Int
    /// Figures that only this operation has. Each is the median of the runs.
    package var figures: [BenchFigure]?
    package var warmUps: Int?
    /// The name and version of a peer, and a sentence about its method.
    package var name: String?
    package var sentence: String?

    package init(
        nanoseconds: [Int64], checksum: String, counts: BenchCounts,
        statements: [StatementCount], peakMemoryBytes: Int, figures: [BenchFigure]? = nil,
        warmUps: Int? = nil
    ) {
        self.figures = figures
        self.warmUps = warmUps
        self.nanoseconds = nanoseconds
        self.checksum = checksum
        self.counts = counts
        self.statements = statements
        self.peakMemoryBytes = peakMemoryBytes
    }
}
