// Owns the engine's side of every operation, written against the public API as an app would. What
// is timed is the work of an operation: neither opening the file nor letting go of the objects.

import CoreData
import LabResults

/// The workloads on the engine.
struct EngineSide {
    private let model = Library.model()

    struct Options {
        var isCounting = false
        /// Counts authors once more than the work needs.
        var plantsExtraStatement = false
    }

    /// Runs one operation on a file, which holds the data except for an insert.
    func run(
        _ variant: WorkloadVariant, file: String, dataset: Dataset?, options: Options
    ) throws(MeasurementError) -> SideRun {
        do {
            let stack = try EngineStack(file, model)
            let operation = EngineOperation(
                variant: variant, dataset: dataset, context: stack.context)
            var run = try stack.context.performAndWait {
                try measure(operation, stack, options)
            }
            try stack.close()
            if variant.operation.writes { run.checksum = try BaselineSide.digest(file) }
            return run
        } catch let error as MeasurementError {
            throw error
        } catch {
            throw MeasurementError("the engine refused the work: \(error)")
        }
    }

    /// Makes the file that the workloads of a shape read.
    func makeLibrary(_ file: String, _ dataset: Dataset) throws(MeasurementError) {
        do {
            let stack = try EngineStack(file, model)
            try stack.context.performAndWait {
                EngineOperation.insert(dataset, into: stack.context)
                try stack.context.save()
            }
            try stack.close()
        } catch {
            throw MeasurementError("the library could not be made: \(error)")
        }
    }

    private func measure(
        _ operation: EngineOperation, _ stack: EngineStack, _ options: Options
    ) throws -> SideRun {
        let prepared = try operation.prepare()
        if options.isCounting { stack.startCounting() }
        let clock = ContinuousClock()
        let start = clock.now
        if options.plantsExtraStatement {
            _ = try stack.context.count(for: NSFetchRequest<Author>(entityName: "Author"))
        }
        let (checksum, objects) = try operation.run(prepared)
        let elapsed = (clock.now - start).components
        var run = SideRun(
            nanoseconds: elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000,
            checksum: checksum)
        if options.isCounting { (run.counts, run.statements) = stack.stopCounting() }
        withExtendedLifetime(objects) {}
        return run
    }
}
