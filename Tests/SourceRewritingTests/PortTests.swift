import Foundation
import Testing

@testable import coredata_sources

/// Tests of `./faultline port`, which writes the rewritten sources to a folder.
@Suite final class PortTests {
    private let place = FileManager.default.temporaryDirectory
        .appendingPathComponent("port-\(UUID().uuidString)")

    init() throws {
        let sources = place.appendingPathComponent("App/Inner")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try write("App/A.swift", "import CoreData\n@objc class A: NSObject {}\n")
        try write(
            "App/Inner/B.swift", "let b = #selector(A.b)\n#sourceLocation()\nlet c = 1\n")
        try write("App/Inner/C.swift", "let c = \"@objc\"\r\n")
        try write("App/notes.txt", "@objc")
        try write("App/Package.swift", "// #keyPath(A.b)\n")
        try FileManager.default.createDirectory(
            at: place.appendingPathComponent("Empty"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: place) }

    private func write(_ name: String, _ text: String) throws {
        try text.write(to: place.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }

    private func read(_ name: String) throws -> String {
        try String(contentsOf: place.appendingPathComponent(name), encoding: .utf8)
    }

    private func port(_ folder: String, _ output: String) throws -> Bool {
        let path = { [place] (name: String) in place.appendingPathComponent(name).path }
        return try PortCommand([path(folder), "--output", path(output)]).run()
    }

    @Test func `the copy is rewritten without names of the originals, the folder is unchanged`()
        throws
    {
        #expect(try port("App", "New/Ported") == false)
        #expect(try read("New/Ported/A.swift") == "import CoreData\nclass A: NSObject {}\n")
        #expect(
            try read("New/Ported/Inner/B.swift")
                == "import CoreData\nlet b = Selector(\"b\")\n#sourceLocation()\nlet c = 1\n")
        #expect(try read("New/Ported/Inner/C.swift") == "let c = \"@objc\"\r\n")
        #expect(try read("New/Ported/notes.txt") == "@objc")
        #expect(try read("App/A.swift").contains("@objc"))
    }

    @Test(arguments: [
        ("Missing", "New", "does not exist"), ("Empty", "New", "has no Swift file"),
        ("App", "Empty", "exists already; name a new folder"),
        ("App", "App/New", "is inside"),
    ])
    func `a folder that cannot be ported is refused`(
        folder: String, output: String, message: String
    ) throws {
        let error = #expect(throws: PortError.self) { try port(folder, output) }
        #expect(error?.description.hasPrefix("error: ") == true)
        #expect(error?.description.contains(message) == true)
        #expect(!FileManager.default.fileExists(atPath: place.appendingPathComponent("New").path))
    }

    @Test func `a file that is not text is named`() throws {
        try Data([0xFF, 0xFE, 0x00]).write(to: place.appendingPathComponent("App/Bad.swift"))
        let error = #expect(throws: PortError.self) { try port("App", "New") }
        #expect(error?.description.contains("App/Bad.swift cannot be read") == true)
    }

    @Test(
        arguments: [
            ([], "name the folder"), (["App"], "--output Ported"), (["App", "--output"], "needs"),
            (["App", "B", "--output", "C"], "name only one"), (["--all"], "unknown option --all"),
        ] as [([String], String)])
    func `arguments that are missing or unknown are reported`(
        arguments: [String], message: String
    ) {
        let error = #expect(throws: UsageError.self) { try PortCommand(arguments) }
        #expect(error?.description.contains(message) == true)
    }

    @Test func `the help describes input and output`() {
        for word in ["FOLDER", "--output NEW", "must not exist", "CoreDataSources"] {
            #expect(PortCommand.help.contains(word))
        }
    }
}
