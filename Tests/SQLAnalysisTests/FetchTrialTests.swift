import CoreData
import Foundation
import LabFiles
import LabResults
import SQLAnalysis
import Testing

@Suite struct FetchTrialTests {
    private func ways(
        _ report: FetchReport
    ) -> [String: FetchStrategy] {
        Dictionary(uniqueKeysWithValues: report.strategies.map { ($0.name, $0) })
    }

    @Test func `the trial runs the statements that the engine reports for each fetch`() throws {
        let library = try Library(authors: 50)
        var trial = try FetchTrial(store: library.path, model: nil)
        trial.rounds = 1
        var question = FetchQuestion(entity: "Author")
        question.predicate = "name BEGINSWITH 'Author 1'"
        question.sort = ["name desc"]
        question.keyPaths = ["books.publisher"]
        question.batchSizes = [5]
        let report = try trial.run(question)
        let ways = ways(report)
        #expect(report.rowsInStore == 50)
        // These are Author 1 and Author 10 to 19, with three books each.
        #expect(ways["plain"]?.results == 11)
        #expect(ways["plain"]?.statementTotal == 1)
        #expect(ways["count"]?.statementTotal == 1)
        #expect(ways["ids"]?.statementTotal == 1)
        #expect(ways["faults only"]?.statementTotal == 1 + 11)
        #expect(ways["batch 5"]?.statementTotal == 1 + 3)
        #expect(ways["walk"]?.statementTotal == 1 + 11 + 33 + 4)
        #expect(ways["prefetch"]?.statementTotal == 3)
        #expect(ways["plain"]?.statements.first?.plan.isEmpty == false)
        #expect(ways["plain"]?.statements.first?.text.contains("ORDER BY t0.ZNAME DESC") == true)
        #expect(report.notes.contains("With prefetching, 3 statements run instead of 49."))
    }

    @Test func `the user's store stays as it is, byte for byte`() throws {
        let library = try Library()
        let before = try FileManager.default.contentsOfDirectory(atPath: library.folder.path)
            .sorted()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: library.path))
        var trial = try FetchTrial(store: library.path, model: nil)
        trial.rounds = 1
        _ = try trial.run(FetchQuestion(entity: "Book"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: library.path)) == bytes)
        let after = try FileManager.default.contentsOfDirectory(atPath: library.folder.path)
        #expect(after.sorted() == before)
    }

    @Test func `a mistake in a question is refused with the text to write instead`() throws {
        let library = try Library()
        let trial = try FetchTrial(store: library.path, model: nil)
        func complaint(_ change: (inout FetchQuestion) -> Void) -> String {
            var question = FetchQuestion(entity: "Book")
            change(&question)
            do {
                _ = try trial.run(question)
                return ""
            } catch { return "\(error)" }
        }
        #expect(
            complaint { $0.entity = "Buch" }
                == "<entity>: the entity 'Buch' does not exist; "
                + "write one of: Author, Book, Publisher")
        #expect(complaint { $0.predicate = "title == " }.hasPrefix("--predicate:1:"))
        #expect(
            complaint { $0.predicate = "titel == 'x'" }
                .hasSuffix("; Book has: author, publisher, title"))
        #expect(
            complaint {
                $0.predicate = "author.born == 1"
                $0.sort = ["title"]
            }.hasSuffix("; Author has: books, name"))
        #expect(
            complaint {
                $0.entity = "Author"
                $0.predicate = "books.title == 'x'"
            } == "--predicate: to-many key not allowed here; "
                + "write ANY or ALL before the comparison, or compare the @count")
        #expect(
            complaint { $0.predicate = "ANYKEY == 1" }
                .hasSuffix(
                    "; write attributes, relationships and constants, which SQL can "
                        + "compare"))
        #expect(
            complaint { $0.sort = ["date"] }
                == "--sort: Book has no stored attribute 'date'; "
                + "write one of: author, publisher, title")
        #expect(
            complaint { $0.sort = ["title", "author.date"] }
                == "--sort: Author has no stored attribute 'date'; write one of: name")
        #expect(
            complaint { $0.sort = ["author.books.title"] }
                == "--sort: Author.books is to-many, so it cannot sort objects; "
                + "write one of: name")
        #expect(
            complaint { $0.sort = ["title.length"] }
                == "--sort: 'title' in 'title.length' is not a relationship of Book; "
                + "write one of: author, publisher, title")
        #expect(complaint { $0.sort = ["author.name desc", "author", "self"] } == "")
        #expect(complaint { $0.sort = ["title down"] }.hasPrefix("--sort: 'title down'"))
        #expect(
            complaint { $0.keyPaths = ["author.pages"] }
                == "--prefetch: 'pages' in 'author.pages' is not a relationship of Author; "
                + "write one of: books")
        #expect(complaint { $0.keyPaths = [""] }.hasPrefix("--prefetch: '' in '' is no"))
    }

    @Test func `a file that is not a store is refused by name`() throws {
        let library = try Library()
        let other = library.folder.appendingPathComponent("other.sqlite").path
        #expect(throws: InputErrors.self) { try FetchTrial(store: other, model: nil) }
        try Data("not a database, and long enough to be read as one".utf8)
            .write(to: URL(fileURLWithPath: other))
        do {
            _ = try FetchTrial(store: other, model: nil)
            Issue.record("it was opened")
        } catch {
            #expect("\(error)".hasPrefix("\(other): this is not a Core Data store"))
        }
    }

    private static let fixtures: String? = {
        let path =
            ProcessInfo.processInfo.environment["FAULTLINE_FIXTURES"]
            ?? FileManager.default.currentDirectoryPath + "/../shared/data"
        return FileManager.default.fileExists(atPath: path + "/stores") ? path : nil
    }()

    @Test(
        .enabled(if: fixtures != nil, "the folder with real stores is not there"),
        arguments: [
            ("bignerdranch-CoreDataStack-TestModel.sqlite", 2),
            ("duckduckgo-BrowserServicesKit-Bookmarks_V1.sqlite", 1),
            ("duckduckgo-BrowserServicesKit-Bookmarks_V3.sqlite", 1),
        ])
    func `stores of real apps open with the models that they contain`(
        name: String, entityCount: Int
    ) throws {
        let original = try #require(Self.fixtures) + "/stores/" + name
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-app-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appendingPathComponent(name).path
        // Opening a store changes the index file of its log, so the test reads a copy.
        for suffix in ["", "-wal", "-shm"]
        where FileManager.default.fileExists(atPath: original + suffix) {
            try FileManager.default.copyItem(atPath: original + suffix, toPath: store + suffix)
        }
        var trial = try FetchTrial(store: store, model: nil)
        trial.rounds = 1
        var known = ""
        do { _ = try trial.run(FetchQuestion(entity: "?")) } catch { known = "\(error)" }
        let entities = known.split(separator: ": ").last?.split(separator: ", ") ?? []
        #expect(entities.count == entityCount)
        for entity in entities {
            let report = try trial.run(FetchQuestion(entity: String(entity)))
            let ways = ways(report)
            #expect(ways["plain"]?.results == report.rowsInStore, "\(entity)")
        }
    }
}
