import BenchResults
import CBaseline
import CoreData
import Foundation
import LabBench

/// The operations with several threads: concurrent readers, and a reader with a writer.
extension LabBench.Operation {
    static let concurrent = [readParallel, readBesideWriter]

    private static let readParallel = Self(
        "read-parallel",
        parameters: [.integer("readers", 1...64, 1), .integer("fetches", 1...1_000_000, 5)],
        library: BookLibrary(),
        derived: Derived(
            parameter: "readers", name: { "speed-up of \($0.integer("readers")) readers" },
            value: { Double($0.integer("readers")) * $2 / $1 }),
        sentence: { variant in
            let readers = variant.integer("readers")
            return (readers == 1 ? "One context" : "Each of \(readers) concurrent contexts")
                + " of one coordinator fetches \(variant.shape.bookTotal) books and reads every "
                + "property, \(variant.integer("fetches")) times."
        },
        twinSentence: { _ in "The same number of threads, each with its own connection." },
        engine: .free(
            prepare: { run in
                let prepared = Prepared()
                for _ in 0..<run.variant.integer("readers") {
                    let context = run.stack.container.newBackgroundContext()
                    // As in the C baseline, the reader's connection is open before the measurement
                    // starts.
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

    private static let readBesideWriter = Self(
        "read-beside-writer",
        parameters: [
            .word("writer", WriterPace.allCases.map(\.rawValue)),
            .integer("fetches", 1...1_000_000, 10), .word("twin", TwinRun.libraries),
        ],
        access: .disturbs,
        library: BookLibrary(),
        derived: Derived(
            parameter: "writer", name: { "reading speed with the writer \($0.word("writer"))" },
            value: { $2 / $1 }),
        countsVary: true,
        sentence: { variant in
            "One context fetches \(variant.shape.bookTotal) books and reads every property, "
                + "\(variant.integer("fetches")) times, "
                + variant.pace.sentence
        },
        twinSentence: { variant in
            variant.pace == .idle
                ? "One connection does the same." : "Two connections on two threads do the same."
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
                let pace = run.variant.pace
                let fetches = run.variant.integer("fetches")
                let reading = Crew<UInt64>(1)
                let writing = Crew<Int>(pace == .idle ? 0 : 1)
                if pace != .idle {
                    writer.perform {
                        writing.finish(0, Result { try write(writer, pace, until: reading) })
                    }
                }
                let clock = ContinuousClock()
                let start = clock.now
                reader.perform {
                    // `steady` omits the value that the writer changes.
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
            guard run.setUp(result) else { return }
            cb_beside(
                run.file, run.variant.pace.nanoseconds ?? -1,
                Int64(run.variant.integer("fetches")), result)
        })

    private static func write(
        _ context: NSManagedObjectContext, _ pace: WriterPace, until readers: Crew<UInt64>
    ) throws -> Int {
        var turn = ContinuousClock.now
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.fetchLimit = 100
        let books = try context.fetch(request)
        var saves = 0
        repeat {
            for book in books { book.pages += 1 }
            try context.save()
            saves += 1
            pace.wait(&turn)
        } while !readers.isDone
        return saves
    }
}

/// The rate at which the concurrent writer saves.
private enum WriterPace: String, CaseIterable {
    case idle, steady, busy

    /// The interval between the beginnings of two saves; nil without saves.
    var nanoseconds: Int64? {
        switch self {
        case .idle: nil
        // 250 saves and 25,000 rows a second. This is about one save during each fetch.
        case .steady: 4_000_000
        case .busy: 0
        }
    }

    var sentence: String {
        switch self {
        case .idle: "alone."
        case .steady: "while another changes and saves 100 books 250 times a second."
        case .busy: "while another changes and saves 100 books again and again."
        }
    }

    /// Waits until the next save is due. Returns immediately if it is late.
    func wait(_ turn: inout ContinuousClock.Instant) {
        guard let nanoseconds, nanoseconds > 0 else { return }
        let now = ContinuousClock.now
        turn = max(turn + .nanoseconds(nanoseconds), now)
        Thread.sleep(forTimeInterval: (turn - now) / .seconds(1))
    }
}

extension WorkloadVariant {
    fileprivate var pace: WriterPace { WriterPace(rawValue: word("writer")) ?? .idle }
}

extension EngineRun {
    /// Fetches all books and reads every property, repeatedly.
    ///
    /// - Parameter value: returns a book's part of the checksum.
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
