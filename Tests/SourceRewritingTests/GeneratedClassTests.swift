import Foundation
import SourceRewriting
import Testing

@testable import coredata_sources

/// Generated classes call overrides that the app declares in extensions.
@Suite final class GeneratedClassTests {
    private let place = FileManager.default.temporaryDirectory
        .appendingPathComponent("generated-\(UUID().uuidString)")

    init() throws {
        try write(
            "Shop.xcdatamodeld/Shop.xcdatamodel/contents",
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Book" representedClassName="Book" codeGenerationType="class">
                    <attribute name="title" optional="YES" attributeType="String"/>
                </entity>
            </model>
            """)
        try write(
            "Book.swift",
            """
            extension Book {
                public override func awakeFromInsert() { super.awakeFromInsert() }
                @objc var initial: String { String(title?.first ?? "-") }
            }
            """)
    }

    deinit { try? FileManager.default.removeItem(at: place) }

    private func write(_ name: String, _ text: String) throws {
        let url = place.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
    }

    private func rewrite(_ model: String) throws -> String {
        let output = place.appendingPathComponent("Out")
        let path = { [place] (name: String) in place.appendingPathComponent(name).path }
        let failed = try RewriteCommand([
            "--output", output.path, "--model", path(model), path("Book.swift"),
        ]).run()
        #expect(!failed)
        return try String(
            contentsOf: output.appendingPathComponent("Shop+CoreDataGenerated.rewritten.swift"),
            encoding: .utf8)
    }

    @Test func `a generated class calls the override and lists the property`() throws {
        let text = try rewrite("Shop.xcdatamodeld")
        #expect(
            text.contains(
                "public override func awakeFromInsert()"
                    + "  { self.implementation_Book_awakeFromInsert() }"))
        #expect(text.contains(".property(\"initial\", of: Book.self, get: { $0.initial })"))
        #expect(text.contains("\"Book\" : super.objectiveCName"))
    }

    @Test func `a model that cannot be read is an error with its location`() throws {
        try write("Shop.xcdatamodeld/Shop.xcdatamodel/contents", "<model><entity/></model>")
        let error = #expect(throws: (any Error).self) { try rewrite("Shop.xcdatamodeld") }
        #expect(CoreDataSources.text(of: try #require(error)).contains("contents:1"))
    }

    @Test func `a class has its name for Objective-C, and its subclasses have theirs`() {
        let text = Rewriting.file(
            "@objc(Old) public class New: NSManagedObject {}\nclass Newer: New {}\n"
                + "@objc(Plain) class Other: NSObject {}"
        ).text
        #expect(
            text.contains(
                "nonisolated public override class var objectiveCName: String"
                    + " { self == New.self ? \"Old\" : super.objectiveCName }"))
        #expect(text.components(separatedBy: "objectiveCName: String").count == 2)
    }

    @Test func `the import of one declaration does not replace the module's import`() {
        let file = Rewriting.file(
            "import class CoreData.NSManagedObject\n"
                + "class A: NSManagedObject { @NSManaged var a: Int }")
        #expect(file.located.contains("\nimport CoreData\n"))
        #expect(file.standalone.hasPrefix("import CoreData\nimport class"))
    }
}
