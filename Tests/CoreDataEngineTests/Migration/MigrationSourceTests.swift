import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataTrace
import Synchronization
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// The version of a model from which a migration starts.
struct MigrationSourceTests {
    private static let url = #"<attribute name="url" attributeType="String"/>"#
    private static let page = #"<entity name="Page">\#(url)</entity>"#
    private static let rank =
        #"<attribute name="rank" optional="YES" attributeType="Integer 32"/>"#
    private static let ranked = #"<entity name="Page">\#(url)\#(rank)</entity>"#
    private static let tab = #"<entity name="Tab">\#(title)</entity>"#
    private static let title =
        #"<attribute name="title" optional="YES" attributeType="String"/>"#

    /// The lines that are logged while the body runs.
    private func logged<T>(_ body: () throws -> T) throws -> (result: T, lines: [String]) {
        let lines = Mutex<[String]>([])
        let result = try EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            try body()
        }
        return (result, lines.withLock { $0 })
    }

    @Test(arguments: [
        (page + tab, "Tab"), (ranked, "Page.rank"), (ranked + tab, "Page.rank, Tab"),
    ])
    func `an older program does not migrate a newer store back`(
        newer: String, losses: String
    ) throws {
        let fixture = try MigrationFixture()
        fixture.knowsVersions = false
        try fixture.use(MigrationFixture.model(newer)) { make("Page", $0, ["url": "a"]) }
        let before = try fixture.dump()
        let (error, lines) = try logged { fixture.failure(try MigrationFixture.model(Self.page)) }
        #expect(error?.code == NSMigrationMissingSourceModelError)
        #expect(error?.localizedDescription.contains("does not know: \(losses). ") == true)
        #expect(try fixture.dump() == before)
        #expect(lines.isEmpty)
    }

    @Test func `D-072 the store's own copy of a model is a source if nothing is dropped`() throws {
        let fixture = try MigrationFixture()
        fixture.knowsVersions = false
        try fixture.use(MigrationFixture.model(Self.page)) { make("Page", $0, ["url": "a"]) }
        let new = try MigrationFixture.model(Self.ranked + Self.tab)
        let (urls, lines) = try logged { try fixture.use(new) { try values("Page", "url", $0) } }
        #expect(urls == ["a"])
        #expect(lines.count == 1)
    }

    @Test func `a migration logs one line with both versions, the rows and the time`() throws {
        let fixture = try MigrationFixture()
        let (old, new) = (
            try MigrationFixture.model(Self.ranked), try MigrationFixture.model(Self.page)
        )
        (old.versionIdentifiers, new.versionIdentifiers) = (["two"], ["one"])
        try fixture.use(old) { context in
            for url in ["a", "b"] { make("Page", context, ["url": url]) }
        }
        // The newer version is also known, so the store may migrate back.
        let (urls, lines) = try logged { try fixture.use(new) { try values("Page", "url", $0) } }
        #expect(urls == ["a", "b"])
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        let expected = "CoreData: annotation: migrated the store \(fixture.url.path) from version"
        #expect(line.hasPrefix(expected + " 'two' (checksum \(old.versionChecksum.prefix(8)))"))
        #expect(line.contains(" to version 'one' (checksum "))
        #expect(line.contains(": 2 rows written in 0."))
    }

    // MARK: Versions in folders

    /// Writes versions of a model to a folder, compiled if the folder's name ends in `momd`.
    private func write(
        _ name: String, in parent: URL, _ versions: [(name: String, content: String)]
    ) throws -> URL {
        let source = parent.appendingPathComponent("Source.xcdatamodeld")
        for (name, content) in versions {
            let place = source.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data("<model>\(content)</model>".utf8)
                .write(to: place.appendingPathComponent("contents"))
        }
        let current = ["_XCCurrentVersionName": "\(versions[0].name).xcdatamodel"]
        try PropertyListSerialization.data(fromPropertyList: current, format: .xml, options: 0)
            .write(to: source.appendingPathComponent(".xccurrentversion"))
        let target = parent.appendingPathComponent(name)
        if target.pathExtension == "momd" { try ModelCompiler.compile(source, to: target) }
        return target.pathExtension == "momd" ? target : source
    }

    private static let optional = #"<entity name="Page">\#(optionalURL)</entity>"#
    private static let optionalURL =
        #"<attribute name="url" optional="YES" attributeType="String"/>"#

    private static let histories: [[(name: String, content: String)]] = [
        [("M 9", page), ("M 10", page + tab)],
        [("V1", page + tab), ("V2", page), ("V3", optional)],
        [("B", page + tab), ("A", ranked + tab), ("C", page)],
    ]

    @Test(arguments: ["M.momd", "M.xcdatamodeld"], histories.indices)
    func `the source is the version with the store's hashes, whatever the file names`(
        name: String, number: Int
    ) throws {
        let versions = Self.histories[number]
        let fixture = try MigrationFixture()
        fixture.knowsVersions = false
        let folder = try write(name, in: fixture.folder.url, versions)
        let models = try versions.map {
            try NSManagedObjectModel.load(contentsOf: folder, version: $0.name)
        }
        for place in models.indices.dropFirst() {
            try? FileManager.default.removeItem(at: fixture.url)
            try fixture.use(models[place - 1]) { make("Page", $0, ["url": "a"]) }
            let (urls, lines) = try logged {
                try fixture.use(models[place]) { try values("Page", "url", $0) }
            }
            #expect(urls == ["a"])
            #expect(lines.first?.contains("from version '\(versions[place - 1].name)'") == true)
        }
    }

    @Test(arguments: ["DELETE FROM Z_MODELCACHE", "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL"])
    func `a store of another framework without a model is identified by its tables`(
        emptying: String
    ) throws {
        let fixture = try MigrationFixture()
        fixture.knowsVersions = false
        let folder = try write(
            "M.xcdatamodeld", in: fixture.folder.url,
            [("M 3", Self.ranked + Self.tab), ("M", Self.page), ("M 2", Self.page + Self.tab)])
        func model(_ name: String) throws -> NSManagedObjectModel {
            try NSManagedObjectModel.load(contentsOf: folder, version: name)
        }
        try fixture.use(model("M 2")) { make("Page", $0, ["url": "a"]) }
        try fixture.run(emptying)
        let connection = try Connection(.file(fixture.url.path))
        var plist = try #require(try StoreMetadata.read(connection)).plist
        plist[StoreMetadata.makerKey] = nil
        plist[VersionDigest.hashesKey] = ["Page": Data(repeating: 7, count: 32)]
        let row = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        try StoreMetadata.encode(plist).withUnsafeBytes { row.bind(1, blob: $0) }
        try row.run()
        let (urls, lines) = try logged {
            try fixture.use(model("M 3")) { try values("Page", "url", $0) }
        }
        #expect(urls == ["a"])
        #expect(lines.first?.contains("from version 'M 2'") == true)
    }

    @Test func `an error names the chosen version and the reason`() throws {
        let fixture = try MigrationFixture()
        fixture.knowsVersions = false
        let number = #"<entity name="Page"><attribute name="url" attributeType="Date"/></entity>"#
        let folder = try write(
            "M.xcdatamodeld", in: fixture.folder.url,
            [("New", number), ("Old", Self.page), ("Other", Self.page + Self.tab)])
        func model(_ name: String) throws -> NSManagedObjectModel {
            try NSManagedObjectModel.load(contentsOf: folder, version: name)
        }
        try fixture.use(model("Old")) { make("Page", $0, ["url": "a"]) }
        let error = try #require(fixture.failure(try model("New")))
        #expect(error.code == NSInferredMappingModelError)
        let text = error.localizedDescription
        #expect(text.contains("began with the version 'Old' (checksum "))
        #expect(text.hasSuffix("because its hashes are those of the store."))
    }

    @Test func `a store of a configuration takes the newest version that has its hashes`() throws {
        let fixture = try MigrationFixture()
        fixture.knowsVersions = false
        let members = #"<configuration name="C"><memberEntity name="Page"/></configuration>"#
        let folder = try write(
            "M.xcdatamodeld", in: fixture.folder.url,
            [
                ("M 10", Self.optional + Self.tab + members), ("M", Self.page + Self.tab),
                ("M 2", Self.page + Self.tab + members), ("M 9", Self.page + members),
            ])
        let old = try NSManagedObjectModel.load(contentsOf: folder, version: "M 2")
        let hashes = old.entityVersionHashesByName.filter { $0.key == "Page" }
        let search = VersionSearch(hashes: hashes, configuration: "C")
        let found = try #require(search.version(in: VersionPlaces(files: [folder])))
        #expect(found.model.versionName == "M 9")
        // A search without a configuration accepts only a version with exactly these hashes.
        let whole = VersionSearch(hashes: old.entityVersionHashesByName)
        #expect(whole.version(in: VersionPlaces(files: [folder]))?.fit == .whole)
        let part = VersionSearch(hashes: ["Tab": old.entityVersionHashesByName["Tab"] ?? Data()])
        #expect(part.version(in: VersionPlaces(files: [folder]))?.fit == .merged)
    }
}
