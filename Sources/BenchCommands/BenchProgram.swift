import BenchResults
import CommandLineSupport
import Foundation
import LabBench
import Synchronization

/// The program that measures: the tool, or a user's program that declares its workloads.
package enum BenchProgram {
    private static let hasDeclared = Atomic(false)

    /// Whether workloads were declared in Swift.
    static var isOwn: Bool { hasDeclared.load(ordering: .relaxed) }

    /// Marks this process as a user's program, and sets the program's name to that of its
    /// executable. Call it before the command line is parsed.
    static func becomeOwn() {
        hasDeclared.store(true, ordering: .relaxed)
        ProgramName.set(URL(fileURLWithPath: ProcessLauncher.own).lastPathComponent)
    }

    /// The folder of the package that the program is built from.
    ///
    /// The package of a user's program is the nearest one above the executable, or else the nearest
    /// one above the working folder. For the tool, the folder is the repository's root.
    static var packageFolder: String {
        guard isOwn else { return Places.root }
        let program = URL(fileURLWithPath: ProcessLauncher.own).deletingLastPathComponent()
        let here = FileManager.default.currentDirectoryPath
        return folder(of: "Package.swift", above: program.path)
            ?? folder(of: "Package.swift", above: here) ?? here
    }

    /// The Git commit of the sources. Each result contains it.
    static var origin: ResultOrigin? { GitRepository(folder: packageFolder).origin }

    /// Returns the nearest folder that contains a file of this name: `start` or a folder above it.
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
