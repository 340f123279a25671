import CoreData
import CoreDataSQLite
import CoreDataStore
import Foundation
import SQLAnalysis
import TestSupport
import Testing

/// A survey opens every model version and every store below a folder.
@Suite struct SurveyTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("survey-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private static let good = """
        <model><entity name="Book" representedClassName="Book">
          <attribute name="title" attributeType="String" minValueString="3"/>
          <attribute name="pages" attributeType="Integer 16" minValueString="10"/>
          <attribute name="cover" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
          <attribute name="tint" attributeType="Transformable" valueTransformerName="Tint"/>
          <relationship name="author" maxCount="1" destinationEntity="Author"
            inverseName="books" inverseEntity="Author" deletionRule="Nullify"/>
        </entity><entity name="Author">
          <attribute name="name" attributeType="String"/>
          <relationship name="books" toMany="YES" optional="YES" destinationEntity="Book"
            inverseName="author" inverseEntity="Book" deletionRule="No Action"/>
        </entity></model>
        """

    private func write(_ name: String, _ contents: String) throws -> String {
        let url = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data(contents.utf8).write(to: url.appendingPathComponent("contents"))
        return url.path
    }

    private func store(
        _ name: String, _ model: NSManagedObjectModel, _ entity: String, _ rows: [[String: Any]]
    ) throws -> URL {
        let url = folder.appendingPathComponent(name)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for row in rows {
                let object = NSEntityDescription.insertNewObject(
                    forEntityName: entity, into: context)
                for (key, value) in row { object.setValue(value, forKey: key) }
            }
            try context.save()
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return url
    }

    @Test
    func `a version that saves its objects is usable, another one is reported with its reason`()
        throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let good = try write("Good.xcdatamodel", Self.good)
        _ = try write(
            "Bad.xcdatamodel",
            """
            <model><entity name="A"><attribute name="b" attributeType="Word"/></entity></model>
            """)
        let result = ModelSurvey(folder: folder.path).run()
        #expect(result.usable == ["Good.xcdatamodel"])
        #expect(result.text.hasPrefix("Good.xcdatamodel: usable once Tint is registered\n"))
        #expect(result.refusals.map(\.path) == ["Bad.xcdatamodel"])
        #expect(result.refusals[0].reason.contains("A.b"))
        #expect(
            result.text.hasSuffix(
                "0 of 2 model versions are usable, 1 once a transformer is registered\n"))
        #expect(!result.isComplete)
        let text = try ModelDescriber(path: good).text
        #expect(text.contains("by Tint, usable once Tint is registered"))
    }

    @Test func `each version is migrated to the next one, and each refusal has its reason`()
        throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let cases = [
            ("9", #"<attribute name="n" attributeType="Integer 64"/>"#),
            ("10", #"<attribute name="n" attributeType="Double"/>"#),
            ("11", #"<attribute name="n" attributeType="Date"/>"#),
        ]
        for (version, attribute) in cases {
            _ = try write(
                "Book.xcdatamodeld/Book \(version).xcdatamodel",
                """
                <model><entity name="Book">\(attribute)<relationship name="author" maxCount="1"
                optional="YES" destinationEntity="Author" inverseName="books"
                inverseEntity="Author" deletionRule="Nullify"/></entity><entity name="Author">
                <relationship name="books" toMany="YES" optional="YES" destinationEntity="Book"
                inverseName="author" inverseEntity="Book" deletionRule="Nullify"/></entity></model>
                """)
        }
        let result = MigrationSurvey(folder: folder.path).run()
        #expect(result.usable == ["Book.xcdatamodeld: Book 9 to Book 10"])
        #expect(result.refusals.map(\.path) == ["Book.xcdatamodeld: Book 10 to Book 11"])
        #expect(result.refusals.first?.reason.contains("cannot be inferred") == true)
        #expect(
            result.text.hasSuffix(
                "1 of 2 migrations between neighbouring versions keep values and links\n"))
    }

    @Test func `a comparison begins with the version that is named, as a migration does`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = #"<attribute name="url" attributeType="String"/>"#
        let page = #"<entity name="Page">\#(url)</entity>"#
        let optional = url.replacing("/>", with: #" optional="YES"/>"#)
        for (version, content) in [
            ("V1", page + #"<entity name="Tab"/>"#), ("V2", page),
            ("V3", #"<entity name="Page">\#(optional)</entity>"#),
        ] {
            _ = try write("M.xcdatamodeld/\(version).xcdatamodel", "<model>\(content)</model>")
        }
        _ = try write("Old.xcdatamodel", #"<model>\#(page)<entity name="Gone"/></model>"#)
        func version(_ name: String) -> String {
            folder.appendingPathComponent("M.xcdatamodeld/\(name).xcdatamodel").path
        }
        var comparison = try ModelComparison(path: version("V2"), with: version("V3"))
        let text = try comparison.text()
        #expect(comparison.isInferable && text.contains("an inferred migration runs"))
        #expect(!text.contains("134130"))
        // The folder of the new model does not contain this version.
        let old = folder.appendingPathComponent("Old.xcdatamodel").path
        var other = try ModelComparison(path: old, with: version("V3"))
        #expect(try other.text().contains("M.xcdatamodeld does not contain the older version"))
    }

    @Test func `a store is compared with SQL and left as it is`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try write("Good.xcdatamodel", Self.good)
        let model = try NSManagedObjectModel.loaded(from: URL(fileURLWithPath: path))
        let url = try store("books.sqlite", model, "Author", [["name": "somebody"]])
        let before = try Data(contentsOf: url)
        let result = StoreSurvey(folder: folder.path).run()
        #expect(result.usable == ["books.sqlite"] && result.isComplete)
        #expect(try Data(contentsOf: url) == before)
        let text = try StoreDescriber(path: url.path).text()
        #expect(text.contains("ZAUTHOR: 1 rows") && text.contains("integrity: ok"))
        #expect(text.contains("model in the store: 2 entities"))
    }

    @Test func `a store without a model is opened with a model built from its tables`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let fish = """
            <entity name="Animal" isAbstract="YES">
              <attribute name="legCount" optional="YES" attributeType="Integer 16"/>
              <attribute name="born" optional="YES" attributeType="Date"/></entity>
            <entity name="Fish" parentEntity="Animal">
              <attribute name="fins" optional="YES" attributeType="String"/>
              <relationship name="prey" optional="YES" toMany="YES" destinationEntity="Animal"/>
            </entity>
            """
        let source = folder.appendingPathComponent("Fish.xcdatamodel")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try Data("<model>\(fish)</model>".utf8).write(
            to: source.appendingPathComponent("contents"))
        let fishes = (0..<3).map { ["legCount": $0, "fins": "fin \($0)"] as [String: Any] }
        let url = try store(
            "fish.sqlite", try NSManagedObjectModel.loaded(from: source), "Fish", fishes)
        let connection = try Connection(.file(url.path), options: Connection.Options())
        try connection.execute("DROP TABLE Z_MODELCACHE")
        // Replaces the version hashes by those that another framework computed.
        var plist = try #require(try StoreMetadata.read(connection)).plist
        plist[StoreMetadata.makerKey] = nil
        plist["NSStoreModelVersionHashes"] = ["Fish": Data(repeating: 7, count: 32)]
        let row = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        try StoreMetadata.encode(plist).withUnsafeBytes { row.bind(1, blob: $0) }
        try row.run()
        let result = StoreSurvey(folder: folder.path).run()
        #expect(result.usable == ["fish.sqlite"] && result.isComplete, "\(result.text)")
    }

    @Test func `a model is described with the warnings that Xcode prints`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let describer = try ModelDescriber(path: write("Good.xcdatamodel", Self.good))
        #expect(describer.text.contains("  title: String, required"))
        #expect(describer.text.contains("  cover: Binary, external, required"))
        #expect(describer.warnings.count == 1 && describer.warnings[0].contains("Author.books"))
        #expect(describer.mermaid.contains("Author |o--o{ Book : \"books\""))
    }

    @Test(.enabled(if: RealStores.folder != nil, RealStores.areMissing))
    func `the versions of real apps are migrated with values and links`() throws {
        let data = try #require(RealStores.folder)
        let result = MigrationSurvey(folder: data.appendingPathComponent("models").path).run()
        print(result.text)
        #expect(result.count > 15 && result.usable.count > 10)
    }

    @Test(.enabled(if: RealStores.folder != nil, RealStores.areMissing))
    func `the models and the stores of real apps are usable`() throws {
        let data = try #require(RealStores.folder)
        let models = ModelSurvey(folder: data.appendingPathComponent("models").path).run()
        let stores = StoreSurvey(folder: data.appendingPathComponent("stores").path).run()
        print(models.text + stores.text)
        #expect(models.count > 100 && models.isComplete)
        #expect(stores.count >= 7 && stores.isComplete)
    }
}
