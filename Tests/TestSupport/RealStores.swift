import CoreDataModel
import Foundation
import Testing

/// Stores of real apps from the fixtures folder. Tests work on copies.
package enum RealStores {
    package static let folder: URL? = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["FAULTLINE_FIXTURES"]
        let url =
            named.map { URL(fileURLWithPath: $0) }
            ?? root.deletingLastPathComponent().appendingPathComponent("shared/data")
        let stores = url.appendingPathComponent("stores").path
        return FileManager.default.fileExists(atPath: stores) ? url : nil
    }()

    package static let areMissing: Comment =
        "no real stores here: set FAULTLINE_FIXTURES to the folder that has models/ and stores/"

    /// A store and the model with which it was created.
    package struct Sample: Sendable, CustomTestStringConvertible {
        package let store: String
        package let model: String

        package var testDescription: String { store }

        /// The layout of the model. Its transformable attributes are read as binary ones, so that
        /// tests get the bytes in the file.
        package func layout() throws -> ModelLayout {
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

    package static let samples = [
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
