import CoreDataModel
import CoreDataSQLite
import Foundation
import Testing

/// Stores of real apps, from the fixtures folder; tests work on copies.
enum RealStores {
    static let folder: URL? = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["FAULTLINE_FIXTURES"]
        let url =
            named.map { URL(fileURLWithPath: $0) }
            ?? root.deletingLastPathComponent().appendingPathComponent("shared/data")
        let stores = url.appendingPathComponent("stores").path
        return FileManager.default.fileExists(atPath: stores) ? url : nil
    }()

    static let areMissing: Comment =
        "no real stores here: set FAULTLINE_FIXTURES to the folder that has models/ and stores/"

    /// A store and the model that it was made with.
    struct Sample: Sendable, CustomTestStringConvertible {
        let store: String
        let model: String

        var testDescription: String { store }

        /// Attributes of transformable type are kept as the bytes that they are in the file.
        func layout() throws -> ModelLayout {
            let file = try #require(folder).appendingPathComponent("models/\(model)/contents")
            let text = try String(contentsOf: file, encoding: .utf8).replacing(
                "attributeType=\"Transformable\" valueTransformerName=\"ColorTransformer\" "
                    + "customClassName=\"Color\"", with: "attributeType=\"Binary\"")
            let model = try NSManagedObjectModel.parse(Data(text.utf8), path: file.path)
            try model.freeze()
            return model.layout
        }
    }

    private static let bookmarks = "duckduckgo-BrowserServicesKit/BookmarksModel.xcdatamodeld"

    static let samples = [
        Sample(
            store: "duckduckgo-BrowserServicesKit-Bookmarks_V1.sqlite",
            model: "\(bookmarks)/BookmarksModel.xcdatamodel"),
        Sample(
            store: "duckduckgo-BrowserServicesKit-Bookmarks_V2.sqlite",
            model: "\(bookmarks)/BookmarksModel 2.xcdatamodel"),
        Sample(
            store: "duckduckgo-BrowserServicesKit-Bookmarks_V3.sqlite",
            model: "\(bookmarks)/BookmarksModel 3.xcdatamodel"),
        Sample(
            store: "alemar11-CoreDataPlus-SampleModel_V1.sqlite",
            model: "alemar11-CoreDataPlus/SampleModel.xcdatamodeld/SampleModel.xcdatamodel"),
        Sample(
            store: "bignerdranch-CoreDataStack-TestModel.sqlite",
            model: "bignerdranch-CoreDataStack/Sample.xcdatamodeld/TestModel.xcdatamodel"),
    ]
}

/// A folder for files of one test.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Copies a store with its log and makes the copy writable.
    func copy(_ store: String) throws -> String {
        let source = try #require(RealStores.folder).appendingPathComponent("stores/\(store)").path
        for suffix in ["", "-wal", "-shm"]
        where FileManager.default.fileExists(atPath: source + suffix) {
            try Data(contentsOf: URL(fileURLWithPath: source + suffix))
                .write(to: URL(fileURLWithPath: path(store) + suffix))
        }
        return path(store)
    }

    var contents: [String: Data] {
        get throws {
            var result: [String: Data] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
                result[name] = try Data(contentsOf: url.appendingPathComponent(name))
            }
            return result
        }
    }
}

/// All rows of a statement, as text.
func rows(_ connection: Connection, _ sql: String) throws -> [String] {
    let statement = try connection.statement(sql)
    defer { statement.finish() }
    var rows: [String] = []
    while try statement.step() {
        rows.append(
            (0..<statement.columnCount).map { column in
                statement.value(column).storageClass == .blob
                    ? Data(statement.value(column).bytes).base64EncodedString()
                    : statement.text(column)
            }.joined(separator: "|"))
    }
    return rows
}
