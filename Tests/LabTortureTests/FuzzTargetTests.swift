import Foundation
import Testing

@testable import FuzzAttacks

/// Tests that every fuzzed reader accepts valid inputs, and handles inputs that once ended the
/// process.
@Suite struct FuzzTargetTests {
    static let names = FuzzTargets.all.map(\.name)

    @Test(arguments: names)
    func `a reader takes an input without damage`(name: String) throws {
        let target = try FuzzTargets.target(name)
        #expect(target.run(target.plainInput) == .accepted)
    }

    @Test(arguments: names)
    func `an attempt always has the same input`(name: String) throws {
        let target = try FuzzTargets.target(name)
        let first = (0..<50).map { target.input(of: $0, seed: 7) }
        #expect((0..<50).map { target.input(of: $0, seed: 7) } == first)
        #expect(Set(first).count > 25)
        #expect((0..<50).map { target.input(of: $0, seed: 8) } != first)
    }

    /// Inputs by fuzz target. They once ended the process, hung, or broke a guarantee.
    static let corpus: [URL] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Corpus")
        let paths =
            FileManager.default.enumerator(atPath: folder.path)?
            .compactMap { $0 as? String } ?? []
        return paths.sorted().map { folder.appendingPathComponent($0) }
            .filter { !$0.hasDirectoryPath && !$0.lastPathComponent.hasPrefix(".") }
    }()

    @Test(arguments: corpus)
    func `an input that once failed is handled as it should be`(file: URL) throws {
        let name = file.deletingLastPathComponent().lastPathComponent
        let target = try FuzzTargets.target(name)
        let verdict = target.run([UInt8](try Data(contentsOf: file)))
        #expect(verdict == .accepted || verdict == .refused)
    }
}
