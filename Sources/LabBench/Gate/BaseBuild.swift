import Foundation
import LabResults

/// Builds of earlier commits.
///
/// The tool's `gate --base` calls it.
package enum BaseBuild {
    /// Builds a commit in a worktree of its own, or finds what an earlier call built.
    ///
    /// Needs git and a Swift toolchain (`SWIFT` names another command than `swift`). The built
    /// program is kept below `.build/bases`; the worktree is taken away again.
    ///
    /// - Parameter root: The repository.
    /// - Returns: The program's path.
    package static func program(of ref: String, in root: String) throws(InputError) -> String {
        let name = "--base \(ref)"
        let (status, commit) = try output(
            ["git", "-C", root, "rev-parse", "--verify", "--quiet", ref + "^{commit}"], name)
        guard status == 0, !commit.isEmpty else {
            throw InputError(
                file: name, problem: "git knows no such commit",
                remedy: "name a branch, a tag or a commit of this repository")
        }
        let folder = root + "/.build/bases/" + commit.prefix(12)
        let program = folder + "/faultline"
        if FileManager.default.isExecutableFile(atPath: program) { return program }
        let tree = folder + "/tree"
        if FileManager.default.fileExists(atPath: tree) {
            // Of a build that was interrupted.
            try run(["git", "-C", root, "worktree", "remove", "--force", tree], name)
        }
        try run(["git", "-C", root, "worktree", "add", "--detach", "--force", tree, commit], name)
        let swift = ProcessInfo.processInfo.environment["SWIFT"] ?? "swift"
        let build = [
            swift, "build", "-c", "release", "--product", "faultline", "--package-path", tree,
        ]
        let built = Result { () throws(InputError) in try run(build, name) }
        if case .success = built {
            try run(["cp", tree + "/.build/release/faultline", program], name)
        }
        try run(["git", "-C", root, "worktree", "remove", "--force", tree], name)
        do { try built.get() } catch { throw error }
        return program
    }

    private static func run(_ command: [String], _ name: String) throws(InputError) {
        let (status, text) = try output(command, name)
        guard status == 0 else {
            let last = text.split(separator: "\n").suffix(5).joined(separator: " / ")
            throw InputError(
                file: name,
                problem: "`\(command.joined(separator: " "))` ended with \(status): \(last)",
                remedy: "name a commit that builds here, or give a built one with --base-build")
        }
    }

    private static func output(
        _ command: [String], _ name: String
    ) throws(InputError) -> (status: Int32, text: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        do {
            try process.run()
            let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let text = String(decoding: bytes, as: UTF8.self)
            return (process.terminationStatus, text.trimmingCharacters(in: .whitespacesAndNewlines))
        } catch {
            throw InputError(
                file: name, problem: "`\(command[0])` cannot be run: \(error)",
                remedy: "install it")
        }
    }
}
