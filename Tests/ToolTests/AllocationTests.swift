import BenchResults
import Foundation
import LabBench
import Testing

/// Tests of counting allocations, which needs a process that was started with jemalloc.
@Suite(.enabled(if: Tool.isBuilt)) struct AllocationTests {
    /// False with a sanitizer, which replaces the allocator, so jemalloc cannot be used.
    static let canCount =
        canPreload && dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil

    /// Whether the loader finds jemalloc. Otherwise it prints an error and continues.
    private static var canPreload: Bool {
        let (process, errors) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", ":"]
        process.environment = ["LD_PRELOAD": "libjemalloc.so.2"]
        process.standardError = errors
        guard (try? process.run()) != nil else { return false }
        let complaint = (try? errors.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return complaint.isEmpty
    }

    private func run(_ launcher: any SampleLauncher) throws -> BenchReport {
        let scratch = try Scratch()
        _ = try scratch.write(
            """
            name: tiny
            about: A sentence.
            operation: full-fetch
            data: {authors: 2, books: 30, title-bytes: 10}
            """, to: "tiny.yaml")
        let options = BenchOptions(
            preset: BenchPreset(name: "smoke", rounds: 0, runs: 1, warmUps: 0),
            launcher: launcher, allowsDebugBuild: true)
        return try BenchSuite.run([scratch.folder.path], options: options)
    }

    /// The number of allocations varies slightly with the hash seed and the order of threads. The
    /// gate tolerates this.
    @Test(.enabled(if: canCount, "needs libjemalloc-dev, and no sanitizer"))
    func `a fetch allocates about equally often in two processes`() throws {
        let tool = ProcessLauncher(executable: try #require(Tool.executable).path)
        let counts = try (0..<2).map { _ in
            try #require(try run(tool).results.first?.strategies.first).counts
        }
        let allocations = try #require(counts[0].allocations)
        #expect(allocations >= 60, "an object for each book at least")
        let others = try #require(counts[1].allocations)
        #expect(abs(others - allocations) <= allocations / 100, "\(allocations), \(others)")
        #expect(try #require(counts[0].allocatedBytes) > allocations * 8)
    }

    @Test func `a run without jemalloc names the package to install, and no allocations`() throws {
        let report = try run(InProcessLauncher())
        #expect(report.results.first?.strategies.first?.counts.allocations == nil)
        #expect(report.warnings?.last?.contains("install libjemalloc-dev") == true)
    }
}
