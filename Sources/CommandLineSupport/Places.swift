import Foundation
import LabFiles
import ReportParts

/// The repository's root and default folders. It also has functions that read and write files.
package enum Places {
    /// The folder that contains Scenarios, Workloads and Reports. The script `faultline` sets the
    /// environment variable FAULTLINE_ROOT to its path. Without the variable, it is the working
    /// folder.
    package static var root: String {
        ProcessInfo.processInfo.environment["FAULTLINE_ROOT"].flatMap { $0.isEmpty ? nil : $0 }
            ?? FileManager.default.currentDirectoryPath
    }

    /// The given paths. If the list is empty, the path of a default folder below the root.
    package static func paths(_ given: [String], default folder: String) -> [String] {
        given.isEmpty ? [inRoot(folder)] : given
    }

    /// The full path of a file or folder below the root. If the root is the working folder, the
    /// relative path.
    package static func inRoot(_ path: String) -> String {
        let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        let home = URL(fileURLWithPath: root)
        return here.standardizedFileURL.path == home.standardizedFileURL.path
            ? path : home.appendingPathComponent(path).path
    }

    package static func read(_ path: String) throws(InputError) -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw InputError(
                file: path, problem: "this file cannot be read",
                remedy: "name a file that exists and is readable")
        }
    }

    /// Writes a file, and creates the folders above it. It does not replace a symbolic link, device
    /// or pipe. Control characters become visible, so that the text cannot control a terminal.
    package static func write(_ text: String, to path: String) throws(InputError) {
        try writing(path) { () throws(FileProblem) in
            try OutputFile.write(Array(text.printable.utf8), to: path)
        }
    }

    package static func append(_ text: String, to path: String) throws(InputError) {
        try writing(path) { () throws(FileProblem) in
            try OutputFile.append(Array(text.printable.utf8), to: path)
        }
    }

    private static func writing(
        _ path: String, _ body: () throws(FileProblem) -> Void
    ) throws(InputError) {
        // If this fails, the write below throws the error.
        try? FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(),
            withIntermediateDirectories: true)
        do throws(FileProblem) { try body() } catch {
            throw InputError(file: path, problem: error.what, remedy: error.instead)
        }
    }

    package static func write(_ files: [ReportFile], below folder: String) throws(InputError) {
        for file in files { try write(file.text, to: folder + "/" + file.name) }
    }
}
