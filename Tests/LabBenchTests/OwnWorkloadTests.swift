import BenchResults
import CoreData
import LabBench
import Synchronization
import Testing

/// Tests of workloads that a program declares in Swift. A declaration is permanent and other tests
/// read the list of operations. Each test therefore runs in a separate process.
@Suite struct OwnWorkloadTests {
    /// Whether the workload executes one additional SQL statement.
    private static let hasPlant = Atomic(false)

    private static let name = "own-shelf"

    private static let declared: Void = {
        let model = NSManagedObjectModel()
        let book = NSEntityDescription()
        book.name = "Book"
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        book.properties = [title]
        model.entities = [book]
        KnownOperations.add(
            OwnWorkload(
                name: name, about: "Reads all books.", path: "/nowhere/at/all/main.swift",
                id: "Shelf/main.swift", line: 42), model: model,
            prepare: { context in
                for index in 0..<20 {
                    NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                        .setValue("Book \(index)", forKey: "title")
                }
                try context.save()
            },
            run: { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                if hasPlant.load(ordering: .relaxed) { _ = try context.count(for: request) }
                return try context.fetch(request).reduce(0) {
                    $0 + UInt64(($1.value(forKey: "title") as? String)?.count ?? 0)
                }
            })
    }()

    fileprivate static func measure(rounds: Int = 0, plant: Bool = false) throws -> BenchReport {
        _ = declared
        hasPlant.store(plant, ordering: .relaxed)
        defer { hasPlant.store(false, ordering: .relaxed) }
        var options = BenchOptions(
            preset: BenchPreset(name: "smoke", rounds: rounds, runs: 1, warmUps: 0),
            launcher: InProcessLauncher(), allowsDebugBuild: true)
        options.only = [name]
        return try BenchSuite.run([], options: options)
    }

    @Test func `a surplus statement is one cause, at the line of the workload`() async {
        await #expect(processExitsWith: .success) {
            let before = try OwnWorkloadTests.measure()
            let now = try OwnWorkloadTests.measure(plant: true)
            let verdict = Gate.compare(now, baseline: before, name: "b")
            #expect(verdict.exitCode == 1)
            #expect(verdict.differences.count > 1)
            #expect(verdict.causes.count == 1)
            let cause = try #require(verdict.causes.first)
            #expect(cause.file == "Shelf/main.swift" && cause.line == 42)
            #expect(cause.head.shapes?.first?.hasPrefix("SELECT COUNT") == true)
            #expect(Gate.compare(before, baseline: before, name: "b").exitCode == 0)
        }
    }

    @Test func `every round times a yardstick next to work without a C side`() async {
        await #expect(processExitsWith: .success) {
            let report = try OwnWorkloadTests.measure(rounds: 3)
            #expect(report.yardstick?.samplesNanoseconds.count == 3)
            #expect(report.results[0].parameters.isEmpty)
            #expect(report.results[0].line == 42)
        }
    }
}
