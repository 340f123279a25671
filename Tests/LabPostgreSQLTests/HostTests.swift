import ContextHistory
import CoreDataModel
import CoreDataStore
import Foundation
import LabFiles
import LabPostgreSQL
import LabResults
import LabRunner
import PostgreSQLTestSupport
import Testing

/// Tests of scenarios whose stores are in a PostgreSQL server.
@Suite(.needsPostgreSQL, .serialized) struct HostTests {
    private static let scenarios = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scenarios")
        .path

    private func suite(level: String? = nil, jobs: Int = 1) throws -> ScenarioSuite {
        var options = SuiteOptions()
        options.store = .host(try PostgreSQLHost(level: level, nil))
        options.jobs = jobs
        return ScenarioSuite(options)
    }

    private func outcomes(_ report: RunReport) -> [[String]] {
        report.scenarios.map { result in
            ["\(result.name) \(result.cellText) \(result.verdict)"]
                + result.outcomes.map { "\($0.observed): \($0.count)" }
        }
    }

    @Test(arguments: [
        "locking/mb-02-policy-per-context.yaml", "policies/members-are-added.yaml",
        "policies/version-after-a-resolution.yaml", "unique/mb-17-poisoned-context.yaml",
        "merging/merging-by-history.yaml", "policies/below-the-row-cache.yaml",
        "locking/mb-05-root-writer.yaml", "deletion/mb-82-store-is-gone.yaml",
        "detectors/stale-read-past-the-cache.yaml", "merging/pinned-to-one-state.yaml",
    ])
    func `a scenario has the same outcomes in the same numbers as on SQLite`(_ file: String) throws
    {
        let path = "\(Self.scenarios)/\(file)"
        let own = try ScenarioSuite().run([path])
        let served = try suite().run([path])
        #expect(outcomes(served) == outcomes(own))
        #expect(served.summary[.skipped] == 0 && served.summary.schedules > 0)
    }

    /// The number of schedules differs, because a server has no lock that threads of the lab see.
    @Test func `a scenario in baton mode passes`() throws {
        let report = try suite().run([
            "\(Self.scenarios)/deadlocks/mb-74-first-save-and-a-fetch.yaml"
        ])
        #expect(report.summary[.passed] == report.scenarios.count && report.scenarios.count > 1)
    }

    @Test func `the outcomes do not depend on the number of threads`() throws {
        let path = "\(Self.scenarios)/locking/mb-16-write-skew.yaml"
        let (one, three) = (try suite().run([path]), try suite(jobs: 3).run([path]))
        #expect(outcomes(one) == outcomes(three))
    }

    @Test func `a scenario that needs another store is skipped with the reason`() throws {
        let files = [
            ("unique/mb-27-memory-hides-it.yaml", "compares stores"),
            ("unique/mb-29-constraint-added-later.yaml", "not migrated"),
            ("confinement/mb-85-read-then-write.yaml", "transaction of SQLite"),
        ]
        for (file, reason) in files {
            let report = try suite().run(["\(Self.scenarios)/\(file)"])
            #expect(report.summary[.skipped] == report.scenarios.count)
            #expect(report.scenarios.allSatisfy { $0.reasons.joined().contains(reason) })
        }
    }

    @Test func `write skew is refused at serializable, and seen at the other levels`() throws {
        let files = ["locking/mb-16-write-skew.yaml", "transactions/g2-item-write-skew.yaml"]
        for level in ["read-committed", "repeatable-read", "serializable"] {
            for file in files {
                let report = try suite(level: level).run(["\(Self.scenarios)/\(file)"])
                // The first name is that of the scenario; the others are its cures.
                let cells = report.scenarios.filter { !$0.name.contains("+") }
                let skews = cells.flatMap(\.outcomes).filter { $0.grade == .defect && $0.count > 0 }
                #expect(skews.isEmpty == (level == "serializable"), "\(file) \(level)")
                let refused = cells.flatMap(\.outcomes).filter { outcome in
                    outcome.count > 0 && outcome.observed.contains { $0.value == "134030" }
                }
                #expect(refused.isEmpty == (level != "serializable"), "\(file) \(level)")
            }
        }
    }

    @Test func `an unknown level and an unusable database are errors with a remedy`() {
        let level = #expect(throws: InputErrors.self) {
            _ = try PostgreSQLHost(level: "snapshot", nil)
        }
        #expect(level?.description.contains("repeatable-read") == true)
        let database = #expect(throws: InputErrors.self) {
            _ = try PostgreSQLHost(level: nil, "postgresql:///x?host=/nowhere")
        }
        #expect(database?.description.contains("FAULTLINE_POSTGRESQL") == true)
    }

    @Test func `the SQL of a scenario reaches only its views`() throws {
        let host = try PostgreSQLHost(level: nil, nil)
        let place = try host.makePlace()
        defer { place.remove() }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let store = try coordinator.addPersistentStore(
            ofType: place.type, configurationName: nil, at: place.url, options: nil)
        try place.prepare(coordinator.frozenModel.layout)
        _ = try place.answer(
            "INSERT INTO ZTHING(Z_PK, Z_ENT, Z_OPT, ZSIZE) VALUES(1, 1, 1, 7)", by: 0)
        #expect(try place.answer("SELECT SUM(ZSIZE) FROM ZTHING", by: nil) == .integer(7))
        for sql in [
            "COPY ZTHING TO PROGRAM 'cat'", "CREATE TABLE other (x integer)",
            "SELECT * FROM pg_authid",
        ] {
            let error = #expect(throws: StatementProblem.self) { try place.answer(sql, by: 0) }
            #expect(error?.source.hasPrefix("PostgreSQL error") == true, "\(sql)")
        }
        #expect(throws: StatementProblem.self) { try place.answer("DELETE FROM ZTHING", by: nil) }
        try coordinator.remove(store)
    }

    private static func model() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Thing"
        let size = NSAttributeDescription()
        size.name = "size"
        size.attributeType = .integer64AttributeType
        entity.properties = [size]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}
