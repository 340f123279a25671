import BenchResults
import CommandLineSupport
import Foundation
import LabBench
import Synchronization

/// The program that measures: the tool, or a user's program that declares workloads in Swift.
package enum BenchProgram {
    private static let hasDeclared = Atomic(false)

    static var isOwn: Bool { hasDeclared.load(ordering: .relaxed) }

    /// Marks this process as a user's program. Its name in help and messages is then that of its
    /// executable. The caller does this before it parses the command line.
    static func becomeOwn() {
        hasDeclared.store(true, ordering: .relaxed)
        ProgramName.set(URL(fileURLWithPath: ProcessLauncher.own).lastPathComponent)
    }

    /// The folder of the package whose sources the program was built from.
    ///
    /// For a user's program, it is the nearest package above the executable, or else above the
    /// working folder. For the tool, it is the repository's root.
    static var packageFolder: String {
        guard isOwn else { return Places.root }
        let program = URL(fileURLWithPath: ProcessLauncher.own).deletingLastPathComponent()
        let here = FileManager.default.currentDirectoryPath
        return folder(of: "Package.swift", above: program.path)
            ?? folder(of: "Package.swift", above: here) ?? here
    }

    /// The Git commit of the sources, which each result contains.
    static var origin: ResultOrigin? { GitRepository(folder: packageFolder).origin }

    /// The nearest folder that contains a file of this name: `start` or a folder above it.
    private static func folder(of file: String, above start: String) -> String? {
        var folder = URL(fileURLWithPath: start, isDirectory: true).standardizedFileURL
        while true {
            if FileManager.default.fileExists(atPath: folder.appendingPathComponent(file).path) {
                return folder.path
            }
            let parent = folder.deletingLastPathComponent().standardizedFileURL
            guard parent.path != folder.path else { return nil }
            folder = parent
        }
    }
}
