import BenchResults
import CBaseline
import CoreData
import LabBench

/// The operation with many contexts of one coordinator. Some contexts save while others fetch.
extension LabBench.Operation {
    static let crowds = [writeCrowd]

    private static let writeCrowd = Self(
        "write-crowd",
        parameters: [
            .integer("writers", 1...64, 8), .integer("fetchers", 0...64, 4),
            .integer("saves", 1...1_000_000, 100), .integer("rows", 1...10_000, 20),
        ],
        access: .changes, library: BookLibrary(),
        scale: Scale(parameter: "saves", unit: "saves of each"),
        countsVary: true,
        sentence: { variant in
            "\(variant.integer("writers")) contexts of one coordinator change and save "
                + "\(variant.integer("rows")) books each, \(variant.integer("saves")) "
                + "times, while \(variant.integer("fetchers")) others fetch 50 books again and "
                + "again."
        },
        twinSentence: { _ in
            "The same number of threads, each with its own connection, and a lock for the writers."
        },
        engine: .free(
            prepare: { run in
                let prepared = Prepared()
                let count = run.variant.integer("writers") + run.variant.integer("fetchers")
                for _ in 0..<count {
                    prepared.contexts.append(run.stack.container.newBackgroundContext())
                }
                return prepared
            },
            run: { run, prepared in try Crowd(run, prepared.contexts).finish() }),
        twin: TwinWork { run, result in
            cb_crowd(
                run.file, Int32(run.variant.integer("writers")),
                Int32(run.variant.integer("fetchers")), Int64(run.variant.integer("saves")),
                Int64(run.variant.integer("rows")), result)
        })
}

/// The contexts of one run, and their work.
private struct Crowd {
    private let writers: ArraySlice<NSManagedObjectContext>
    private let fetchers: ArraySlice<NSManagedObjectContext>
    private let saveCount: Int
    private let rowCount: Int

    init(_ run: EngineRun, _ contexts: [NSManagedObjectContext]) {
        writers = contexts.prefix(run.variant.integer("writers"))
        fetchers = contexts.dropFirst(writers.count)
        saveCount = run.variant.integer("saves")
        rowCount = run.variant.integer("rows")
    }

    func finish() throws -> EngineOutcome {
        let writing = Crew<Void>(writers.count)
        let fetching = Crew<[Double]>(fetchers.count)
        let clock = ContinuousClock()
        let start = clock.now
        for (index, context) in writers.enumerated() {
            let (count, rows) = (saveCount, rowCount)
            context.perform {
                writing.finish(
                    index,
                    Result { try Self.write(context, from: index * rows, rows, times: count) })
            }
        }
        for (index, context) in fetchers.enumerated() {
            context.perform {
                fetching.finish(index, Result { try Self.fetch(context, until: writing) })
            }
        }
        _ = try writing.wait()
        let elapsed = clock.now - start
        let latencies = try fetching.wait().flatMap(\.self)
        var outcome = EngineOutcome(0)
        outcome.elapsed = elapsed
        outcome.figures = BenchFigure.fetchTimes(latencies)
        outcome.figures.append(
            BenchFigure("saves meanwhile", Double(writers.count * saveCount), unit: .count))
        return outcome
    }

    private static func write(
        _ context: NSManagedObjectContext, from offset: Int, _ rows: Int, times: Int
    ) throws {
        let request = books(rows)
        request.fetchOffset = offset
        let own = try context.fetch(request)
        for _ in 0..<times {
            for book in own { book.pages += 1 }
            try context.save()
        }
    }

    /// Repeats the fetch of one screen, at least once, until all writers have finished.
    private static func fetch(
        _ context: NSManagedObjectContext, until writers: Crew<Void>
    ) throws -> [Double] {
        let clock = ContinuousClock()
        var latencies: [Double] = []
        repeat {
            let start = clock.now
            var sum: UInt64 = 0
            for book in try context.fetch(books(50)) { sum &+= book.touched }
            precondition(sum != 0, "the fetched books have no values")
            latencies.append((clock.now - start) / .nanoseconds(1))
            context.reset()
        } while !writers.isDone
        return latencies
    }

    private static func books(_ limit: Int) -> NSFetchRequest<Book> {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.fetchLimit = limit
        return request
    }
}
