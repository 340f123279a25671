import CommandLineSupport
import Foundation
import LabBench
import LabResults
import Synchronization

/// The program that measures: the tool, or a user's program that declares its workloads.
package enum BenchProgram {
    private static let hasDeclared = Atomic(false)

    /// Whether workloads were declared in Swift.
    static var isOwn: Bool { hasDeclared.load(ordering: .relaxed) }

    /// Marks this process as a user's program, named after its file. Call it before a command is
    /// read.
    static func becomeOwn() {
        hasDeclared.store(true, ordering: .relaxed)
        ProgramName.set(URL(fileURLWithPath: ProcessLauncher.own).lastPathComponent)
    }

    /// The folder of the package that the program is built from.
    ///
    /// A user's program is in the build folder of its package; otherwise the package is searched
    /// for from the working folder upwards.
    static var packageFolder: String {
        guard isOwn else { return Places.root }
        let program = URL(fileURLWithPath: ProcessLauncher.own).deletingLastPathComponent()
        let here = FileManager.default.currentDirectoryPath
        return folder(of: "Package.swift", above: program.path)
            ?? folder(of: "Package.swift", above: here) ?? here
    }

    /// The commit of the sources, which is saved with a result.
    static var origin: ResultOrigin? { GitRepository(folder: packageFolder).origin }

    /// The nearest folder that contains a file, from a folder upwards.
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
