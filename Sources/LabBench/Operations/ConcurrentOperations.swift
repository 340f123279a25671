// Owns the operations that use several threads: readers beside each other, a reader beside a
// writer.

import CBaseline
import CoreData
import LabResults

extension Operation {
    static let concurrent = [readParallel, readBesideWriter]

    private static let readParallel = Operation(
        "read-parallel",
        parameters: [.integer("readers", 1...64, 1), .integer("fetches", 1...1_000_000, 5)],
        derived: Derived(
            parameter: "readers", name: { "speed-up of \($0.integer("readers")) readers" },
            value: { Double($0.integer("readers")) * $2 / $1 }),
        sentence: { variant in
            let readers = variant.integer("readers")
            return (readers == 1 ? "One context" : "\(readers) contexts at the same time, each")
                + " of one coordinator: fetches \(variant.shape.bookTotal) books and reads every "
                + "property, \(variant.integer("fetches")) times."
        },
        twinSentence: { _ in "As many threads, each with a connection of its own." },
        engine: .free(
            prepare: { run in
                let prepared = Prepared()
                for _ in 0..<run.variant.integer("readers") {
                    let context = run.stack.container.newBackgroundContext()
                    // The reader's connection is open before the clock runs, as in C.
                    _ = try context.performAndWait {
                        let request = NSFetchRequest<Author>(entityName: "Author")
                        request.fetchLimit = 1
                        return try context.fetch(request).count
                    }
                    prepared.contexts.append(context)
                }
                return prepared
            },
            run: { run, prepared in
                let fetches = run.variant.integer("fetches")
                let sums = Crew<UInt64>(prepared.contexts.count)
                for (index, context) in prepared.contexts.enumerated() {
                    context.perform {
                        sums.finish(
                            index, Result { try EngineRun.read(context, fetches) { $0.touched } })
                    }
                }
                return EngineOutcome(try sums.wait().reduce(0, &+))
            }),
        twin: TwinWork { run, result in
            cb_parallel(
                run.file, Int32(run.variant.integer("readers")),
                Int64(run.variant.integer("fetches")), result)
        })

    private static let readBesideWriter = Operation(
        "read-beside-writer",
        parameters: [.word("writer", ["idle", "busy"]), .integer("fetches", 1...1_000_000, 10)],
        access: .disturbs,
        derived: Derived(
            parameter: "writer", name: { "reading speed with the writer \($0.word("writer"))" },
            value: { $2 / $1 }),
        countsVary: true,
        sentence: { variant in
            "One context fetches \(variant.shape.bookTotal) books and reads every property, "
                + "\(variant.integer("fetches")) times, "
                + (variant.word("writer") == "busy"
                    ? "while another changes and saves 100 books again and again." : "alone.")
        },
        twinSentence: { variant in
            variant.word("writer") == "busy"
                ? "Two connections on two threads do the same." : "One connection does the same."
        },
        engine: .free(
            prepare: { run in
                let prepared = Prepared()
                for _ in 0..<2 {
                    prepared.contexts.append(run.stack.container.newBackgroundContext())
                }
                return prepared
            },
            run: { run, prepared in
                let (reader, writer) = (prepared.contexts[0], prepared.contexts[1])
                let isBusy = run.variant.word("writer") == "busy"
                let fetches = run.variant.integer("fetches")
                let reading = Crew<UInt64>(1)
                let writing = Crew<Int>(isBusy ? 1 : 0)
                if isBusy {
                    writer.perform {
                        writing.finish(0, Result { try write(writer, until: reading) })
                    }
                }
                let clock = ContinuousClock()
                let start = clock.now
                reader.perform {
                    // What the writer leaves alone.
                    reading.finish(0, Result { try EngineRun.read(reader, fetches) { $0.steady } })
                }
                let sums = try reading.wait()
                let elapsed = clock.now - start
                var outcome = EngineOutcome(sums[0])
                outcome.elapsed = elapsed
                if let saves = try writing.wait().first {
                    outcome.figures = [BenchFigure("saves meanwhile", Double(saves), unit: .count)]
                }
                return outcome
            }),
        twin: TwinWork { run, result in
            cb_beside(
                run.file, run.variant.word("writer") == "busy" ? 1 : 0,
                Int64(run.variant.integer("fetches")), result)
        })

    private static func write(
        _ context: NSManagedObjectContext, until readers: Crew<UInt64>
    ) throws -> Int {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.fetchLimit = 100
        let books = try context.fetch(request)
        var saves = 0
        repeat {
            for book in books { book.pages += 1 }
            try context.save()
            saves += 1
        } while !readers.isDone
        return saves
    }
}

extension EngineRun {
    /// Fetches all books and reads every property, again and again.
    ///
    /// - Parameter value: What a book counts for.
    @inline(__always)
    static func read(
        _ context: NSManagedObjectContext, _ fetches: Int, _ value: (Book) -> UInt64
    ) throws -> UInt64 {
        var sum: UInt64 = 0
        for _ in 0..<fetches {
            let books = try context.fetch(NSFetchRequest<Book>(entityName: "Book"))
            for book in books { sum &+= value(book) }
            context.reset()
        }
        return sum
    }
}
