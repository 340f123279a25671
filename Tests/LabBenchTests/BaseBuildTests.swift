import BenchResults
import Foundation
import LabBench
import LabFiles
import Synchronization
import Testing

/// Tests of building earlier commits of another package.
@Suite(
    .enabled(
        if: (try? ChildCommand(["git", "--version"]).run())?.status == 0
            && (try? ChildCommand(["swift", "--version"]).run())?.status == 0,
        "git and swift are needed"))
struct BaseBuildTests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder("test") }

    private func write(_ text: String, _ file: String) throws {
        let url = URL(fileURLWithPath: scratch.path + "/" + file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func git(_ words: String...) throws -> String {
        let outcome = try ChildCommand(
            ["git", "-C", scratch.path + "/app", "-c", "user.name=n", "-c", "user.email=e"] + words
        ).run()
        #expect(outcome.status == 0, "\(outcome.text)")
        return outcome.text
    }

    /// Creates a repository whose package is in a subfolder. The package depends on a package next
    /// to the repository.
    private func makeApp() throws {
        try write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "Words", products: [.library(name: "Words", targets: ["Words"])],
                targets: [.target(name: "Words", path: ".", sources: ["Words.swift"])])
            """, "words/Package.swift")
        try write("public let greeting = \"hello\"\n", "words/Words.swift")
        try write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "App", dependencies: [.package(path: "../../words")],
                targets: [
                    .executableTarget(
                        name: "app-bench",
                        dependencies: [.product(name: "Words", package: "words")],
                        path: "Sources")
                ])
            """, "app/Bench/Package.swift")
        try write("import Words\nprint(greeting, 1)\n", "app/Bench/Sources/main.swift")
        try write(".build\n", "app/.gitignore")
        _ = try git("init", "-q", "-b", "main")
        _ = try git("add", "-A")
        _ = try git("commit", "-q", "-m", "one")
        try write("import Words\nprint(greeting, 2)\n", "app/Bench/Sources/main.swift")
        _ = try git("commit", "-q", "-a", "-m", "two")
    }

    @Test func `a commit is built with its neighbours, and its repository stays unchanged`()
        throws
    {
        try makeApp()
        let told = Mutex<[ProgressUpdate]>([])
        let build = BaseBuild(folder: scratch.path + "/app/Bench", product: "app-bench") { update in
            told.withLock { $0.append(update) }
        }
        let program = try #require(try build.program(of: "HEAD~1"))
        #expect(try ChildCommand([program]).run().text == "hello 1")
        #expect(told.withLock { $0.contains { $0.total != nil } })
        #expect(try git("status", "--porcelain") == "")
        #expect(try git("worktree", "list").split(separator: "\n").count == 1)
        let origin = try #require(GitRepository(folder: scratch.path + "/app/Bench").origin)
        #expect(origin.subject == "two" && !origin.isChanged)
    }

    @Test func `a commit that precedes the program does not have it`() throws {
        try makeApp()
        let bench = scratch.path + "/app/Bench"
        let other = BaseBuild(folder: bench, product: "other-bench")
        #expect(try other.program(of: "HEAD") == nil)
        _ = try git("rm", "-q", "-r", "Bench")
        _ = try git("commit", "-q", "-m", "nothing")
        try write("", "app/Bench/Package.swift")
        let gone = BaseBuild(folder: bench, product: "app-bench")
        #expect(try gone.program(of: "HEAD") == nil)
    }

    @Test func `an unknown commit and one that does not build are refused`() throws {
        try makeApp()
        let build = BaseBuild(folder: scratch.path + "/app/Bench", product: "app-bench")
        let unknown = #expect(throws: InputError.self) { try build.program(of: "nothing") }
        #expect(unknown?.file == "--base nothing")
        try write("print(\n", "app/Bench/Sources/main.swift")
        _ = try git("commit", "-q", "-a", "-m", "broken")
        let broken = #expect(throws: InputError.self) { try build.program(of: "HEAD") }
        #expect(broken?.problem.contains("error:") == true)
    }
}
