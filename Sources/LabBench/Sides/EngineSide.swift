import BenchResults
import CoreData

/// The engine's side of the workloads.
///
/// Only the operation is timed. The time includes opening the file only if the operation opens it.
/// It never includes releasing the objects.
struct EngineSide {
    struct Options {
        var isCounting = false
        var allocations: AllocationCounter?
        var plant: Plant?
    }

    /// The counters of the operation; nil if its time is measured.
    private struct Instruments {
        var lens: Lens?
        var allocations: AllocationCounter?
    }

    /// Runs one operation on a file. The file contains the data unless the operation inserts it.
    func run(
        _ variant: WorkloadVariant, file: String, dataset: Dataset?, options: Options
    ) throws(MeasurementError) -> SideRun {
        do {
            let model = variant.operation.library.model(variant)
            let instruments = Instruments(
                lens: options.isCounting ? Lens() : nil, allocations: options.allocations)
            var run: SideRun
            switch variant.operation.engine {
            case .standalone(let work):
                let standalone = StandaloneRun(
                    variant: variant, dataset: dataset, file: file, model: model,
                    lens: instruments.lens)
                run = try time(instruments) { try work(standalone) }
            case .free(let prepare, let work):
                let stack = try EngineStack(file, model)
                let open = EngineRun(
                    variant: variant, dataset: dataset, stack: stack, plant: options.plant)
                run = try measure(open, instruments, prepare, work)
                try stack.close()
            case .onContext(let prepare, let work):
                let stack = try EngineStack(file, model)
                let open = EngineRun(
                    variant: variant, dataset: dataset, stack: stack, plant: options.plant)
                run = try stack.context.performAndWait {
                    try measure(open, instruments, prepare, work)
                }
                try stack.close()
            }
            return run
        } catch let error as MeasurementError {
            throw error
        } catch {
            throw MeasurementError("the engine could not run the operation: \(error)")
        }
    }

    func makeLibrary(
        _ file: String, _ variant: WorkloadVariant
    ) throws(MeasurementError) {
        do {
            let library = variant.operation.library
            let stack = try EngineStack(file, library.model(variant))
            try stack.context.performAndWait {
                try library.fill(stack.context, variant)
                try stack.context.save()
            }
            try stack.close()
        } catch {
            throw MeasurementError("the library could not be created: \(error)")
        }
    }

    private func measure(
        _ run: EngineRun, _ instruments: Instruments, _ prepare: EngineWork.Prepare,
        _ work: EngineWork.Run
    ) throws -> SideRun {
        let prepared = try prepare(run)
        instruments.lens?.attach(run.stack.container.persistentStoreCoordinator)
        defer { instruments.lens?.detach() }
        return try time(instruments) {
            if run.plant == .statement {
                _ = try run.context.performAndWait {
                    let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
                    return try run.context.count(for: authors)
                }
            }
            let outcome = try work(run, prepared)
            withExtendedLifetime(prepared) {}
            return outcome
        }
    }

    private func time(
        _ instruments: Instruments, _ work: () throws -> EngineOutcome
    ) throws -> SideRun {
        let allocatedBefore = instruments.allocations?.total()
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = try work()
        let elapsed = (outcome.elapsed ?? (clock.now - start)).components
        let allocated = instruments.allocations?.total()
        var run = SideRun(
            nanoseconds: elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000,
            checksum: outcome.checksum)
        if let lens = instruments.lens { (run.counts, run.statements) = lens.counted() }
        if let allocated, let allocatedBefore {
            let amount = allocated - allocatedBefore
            run.counts.allocations = amount.allocations
            run.counts.allocatedBytes = amount.bytes
        }
        run.figures = outcome.figures
        withExtendedLifetime(outcome.survivors) {}
        return run
    }
}
