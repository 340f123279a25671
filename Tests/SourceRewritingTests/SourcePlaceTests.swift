import Foundation
import SourceRewriting
import Testing

/// Errors, breakpoints and warnings show the original locations of rewritten code.
@Suite struct SourcePlaceTests {
    @Test func `a file without Objective-C stays byte for byte`() throws {
        // The rewriter would replace these names, so files that contain them are skipped.
        let replaced = [
            "NSFetchRequest<", "removeObserver", "Bundle(", "forResource", ".init(for",
        ]
        let sources = try Rewriting.sources("Sources").filter { source in
            !replaced.contains { source.text.contains($0) }
                && ["CoreDataModel", "CoreDataTrace", "LabCheck", "LabSchedule", "SQLAnalysis"]
                    .contains { source.path.contains("Sources/\($0)/") }
        }
        #expect(sources.count > 60)
        for (source, file) in zip(sources, Rewriting.files(sources)) {
            #expect(file.text == source.text, "\(source.path)")
            #expect(file.counts.isEmpty && file.warnings.isEmpty, "\(source.path)")
        }
    }

    @Test(arguments: ["Sources", "Strict"])
    func `rewriting the snippets' copies changes nothing`(folder: String) throws {
        let sources = try Rewriting.sources("Tests/Clients/SourcesApp/\(folder)")
        let once = Rewriting.files(sources)
        let twice = Rewriting.files(once.map { ($0.path, $0.text) })
        for (first, second) in zip(once, twice) {
            #expect(first.text == second.text, "\(first.path)")
            #expect(Rewriting.leftovers(first.text) == [], "\(first.path)")
            #expect(Rewriting.parses(first.located), "\(first.path)")
        }
        #expect(once.reduce(0) { $0 + $1.counts.values.reduce(0, +) } > 20)
    }

    @Test(arguments: ["Sources", "Strict"])
    func `a line that was not changed keeps its number`(folder: String) throws {
        let sources = try Rewriting.sources("Tests/Clients/SourcesApp/\(folder)")
        for (source, file) in zip(sources, Rewriting.files(sources))
        // Only the compiler counts the carriage returns of one file as line ends. Another file has
        // its own `#sourceLocation`.
        where !source.path.hasSuffix("Returned.swift") && !source.path.hasSuffix("Located.swift") {
            let before = source.text.split(separator: "\n", omittingEmptySubsequences: false)
            let after = Dictionary(
                Rewriting.numbered(file.located).map { ($0.line, $0.text) },
                uniquingKeysWith: { $0 + $1 })
            var kept = 0
            for (index, line) in before.enumerated() {
                let now = after[index + 1] ?? ""
                if now == line { kept += 1 }
                // Each line keeps at least one word, unless it has an attribute, `#` or `override`.
                let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
                let isKept =
                    words.isEmpty || now.allSatisfy(\.isWhitespace)
                    || words.contains { now.contains($0) }
                    || line.contains("@") || line.contains("#") || line.contains("override")
                #expect(isKept, "\(source.path):\(index + 1): \(now)")
            }
            #expect(kept * 4 >= before.count, "\(source.path)")
        }
    }

    @Test func `columns before an edit, and after a removed word, are the original's`() {
        let file = Rewriting.file("class A: Root { @objc var a = 1; let b = #keyPath(A.a) }\n")
        #expect(file.text == "class A: Root { var a = 1; let b = \"a\" }\n")
        let path = Rewriting.file("let a = 1, b = #keyPath(A.b)\n").text
        #expect(path == "let a = 1, b = \"b\"\n")
    }

    @Test func `imports of Objective-C's modules become Foundation's`() {
        let text =
            "import ObjectiveC\nimport class ObjectiveC.NSObject\nimport Darwin.C  // libc\n"
            + "import class CoreData.NSManagedObject\nimport CoreData.NSEntity\n"
        #expect(
            Rewriting.file(text).text
                == "import Foundation\nimport Foundation\nimport Foundation  // libc\n"
                + "import class CoreData.NSManagedObject\nimport CoreData\n")
    }

    @Test func `a copy names its original, and the path is quoted`() {
        let text = "class A: NSObject { @objc var a = 1 }"
        let file = Rewriting.file(text, "/a \"b\"\\c/D.swift")
        #expect(
            file.located.hasPrefix(
                "#sourceLocation(file: \"/a \\\"b\\\"\\\\c/D.swift\", line: 1)\n"))
        #expect(file.copyName == "D.rewritten.swift")
    }

    @Test func `a byte order mark and a script's first line do not follow other lines`() {
        let marked = Rewriting.file("\u{FEFF}@objc class A: NSObject {}\n")
        #expect(!marked.located.unicodeScalars.contains("\u{FEFF}"))
        let script = Rewriting.file("#!/usr/bin/swift\nlet a = #keyPath(A.b)\n")
        #expect(script.located.hasSuffix("line: 2)\nlet a = \"b\"\n"))
        #expect(Rewriting.file("").located.hasSuffix("line: 1)\n"))
        #expect(Rewriting.file("// @objc").text == "// @objc")
    }

    @Test(arguments: [
        ("// A\nlet a = 1\n", "line: 2)\nlet a = 1\n"),
        ("\r\nlet a = 1", "line: 2)\r\nlet a = 1"),
        ("import A\nlet a = 1\n", "line: 2)\nlet a = 1\n\nimport A\n"),
        ("@testable import A\nlet a = 1\n", "line: 2)\nlet a = 1\n\n@testable import A\n"),
        ("import A // B\nlet a = 1\n", "line: 1)\nimport A // B\nlet a = 1\n"),
        ("/* A\n*/ let a = 1\n", "line: 1)\n/* A\n*/ let a = 1\n"),
        ("let a = 1\n", "line: 1)\nlet a = 1\n"),
    ])
    func `lines of a copy have the original's numbers if its first line can be replaced`(
        source: String, located: String
    ) {
        #expect(Rewriting.file(source).located.hasSuffix(located))
    }

    @Test func `line ends of each kind are unchanged`() {
        let text = "@objc class A: Root {\r\n    @objc var a = 1\r\n}\r\n"
        #expect(Rewriting.file(text).text == "class A: Root {\r\n    var a = 1\r\n}\r\n")
        let last = Rewriting.file("@objc class A: NSObject {}  // end")
        #expect(last.text == "class A: NSObject {}  // end")
    }

    @Test(.enabled(if: Compiler.isFound))
    func `the compiler names the original's line in a copy's error`() throws {
        let text = """
            import Foundation

            @objc class Base {
                @objc var name = "x"
                @objc lazy var path: Int = #keyPath(Base.name)
            }
            #if true
            extension Base {
                @objc func inExtension() {}
            }
            #endif
            class Below: Base {
                override func inExtension() {}
                let wrong: Int = "wrong"
            }
            #sourceLocation(file: "Other.swift", line: 90)
            let other: Int = "other"
            #sourceLocation()
            let last: Int = "last"
            """
        let file = Rewriting.file(text, "/app/Original.swift")
        let errors = try Compiler.errors(file.located)
        #expect(
            errors == [
                "/app/Original.swift:5", "/app/Original.swift:14", "Other.swift:90",
                "/app/Original.swift:19",
            ])
    }
}

/// The compiler in `PATH`.
enum Compiler {
    static let isFound = FileManager.default.isExecutableFile(atPath: path)

    private static let path: String = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let places = folders.map { "\($0)/swiftc" }
        return places.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "swiftc"
    }()

    /// The locations of the errors in their order.
    static func errors(_ text: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("Copy.swift")
        try text.write(to: source, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = [
            "-typecheck", "-parse-as-library", "-diagnostic-style", "llvm", source.path,
        ]
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n")
            .filter { $0.contains(": error: ") }
            .map { $0.split(separator: ":").prefix(2).joined(separator: ":") }
    }
}
