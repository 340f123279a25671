// Owns the engine's side of every operation, written against the public API as an app would.

import LabResults

/// The workloads on the engine.
enum EngineSide {
    struct Options {
        var isCounting = false
        var plantsExtraStatement = false
    }

    static func run(
        _ variant: WorkloadVariant, file: String, dataset: Dataset?, options: Options
    ) throws(MeasurementError) -> SideRun {
        throw MeasurementError("this build has no engine to measure")
    }

    /// Makes the file that the workloads of a shape read.
    static func makeLibrary(_ file: String, _ dataset: Dataset) throws(MeasurementError) {
        try BaselineSide.makeLibrary(file, dataset)
    }
}
