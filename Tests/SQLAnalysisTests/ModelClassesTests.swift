import Foundation
import SQLAnalysis
import TestSupport
import Testing

/// Tests of the classes that are generated for a model's entities.
@Suite struct ModelClassesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let library = """
        <entity name="Book" representedClassName=".Book">
          <attribute name="class" optional="YES" attributeType="String"/>
          <attribute name="pages" attributeType="Integer 32" usesScalarValueType="YES"/>
          <relationship name="authors" optional="YES" toMany="YES" destinationEntity="Person"/>
        </entity>
        <entity name="Comic" representedClassName="Comic" parentEntity="Book">
          <attribute name="drawn" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
        </entity>
        <entity name="Person" representedClassName="Person"/>
        <entity name="Plain"/>
        <fetchRequest name="short ones" entity="Book"
          predicateString="pages &lt; $max AND pages &gt; $min AND class != '$no' OR pages > $max"/>
        """

    private func write(_ style: ModelClasses.Style) throws -> [String] {
        let url = folder.url.appendingPathComponent("Library.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("<model>\(Self.library)</model>".utf8).write(
            to: url.appendingPathComponent("contents"))
        return try ModelClasses(path: url.path).write(to: folder.url.path + "/Classes", style)
    }

    private func text(_ name: String) throws -> String {
        let file = folder.url.appendingPathComponent("Classes/\(name)")
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test func `Xcode's style has the properties in an extension next to the class`() throws {
        #expect(try write(.xcode).count == 6)
        let book = try text("Book+CoreDataClass.swift")
        #expect(book.contains("open class Book: NSManagedObject {\n"))
        #expect(try text("Comic+CoreDataClass.swift").contains("public class Comic: Book {\n"))
        let properties = try text("Book+CoreDataProperties.swift")
        #expect(properties.contains("extension Book {"))
        #expect(properties.contains("public var pages: Int32 {"))
        #expect(properties.contains("public var `class`: String? {"))
        #expect(properties.contains("public func addToAuthors(_ value: Person)"))
    }

    @Test func `mogenerator's style has the properties in a superclass`() throws {
        #expect(try write(.mogenerator).count == 6)
        #expect(try text("Book.swift").contains("open class Book: _Book {}"))
        #expect(try text("_Book.swift").contains("open class _Book: NSManagedObject {}"))
        #expect(try text("_Book.swift").contains("extension _Book {"))
        #expect(try text("_Book.swift").contains("func fetchRequest() -> NSFetchRequest<Book>"))
        #expect(try text("_Comic.swift").contains("open class _Comic: Book {}"))
    }

    @Test(arguments: ModelClasses.Style.allCases)
    func `the file that belongs to the author is never written again`(style: ModelClasses.Style)
        throws
    {
        _ = try write(style)
        let (own, other) =
            style == .xcode
            ? ("Book+CoreDataClass.swift", "Book+CoreDataProperties.swift")
            : ("Book.swift", "_Book.swift")
        let classes = folder.url.appendingPathComponent("Classes")
        let mine = "// mine\n" + (try text(own))
        try mine.write(
            to: classes.appendingPathComponent(own), atomically: true, encoding: .utf8)
        try "".write(
            to: classes.appendingPathComponent(other), atomically: true, encoding: .utf8)
        let lines = try write(style)
        #expect(lines.contains("\(classes.path)/\(own) is kept"))
        #expect(lines.contains("\(classes.path)/\(other) is written"))
        #expect(try text(own) == mine)
        #expect(try text(other).contains("var pages: Int32"))
    }

    @Test func `a fetch request becomes a function of its variables`() throws {
        _ = try write(.xcode)
        let properties = try text("Book+CoreDataProperties.swift")
        #expect(properties.contains("class func shortOnesFetchRequest(max: Any, min: Any)"))
        #expect(properties.contains(#"["max": max, "min": min]"#))
        #expect(properties.contains(#"withName: "short ones""#))
    }
}
