import BenchResults
import Foundation
import LabFiles

/// Read-only access to the git repository of a folder.
package struct GitRepository: Sendable {
    private let folder: String
    /// The command-line option that needs the repository, for error messages.
    private let name: String

    package init(folder: String, name: String = "git") {
        self.folder = folder
        self.name = name
    }

    package var top: String? { answer(["rev-parse", "--show-toplevel"]) }

    package var origin: ResultOrigin? {
        guard let line = answer(["log", "-1", "--format=%H%x09%ct%x09%s"]) else { return nil }
        let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let seconds = Double(parts[1]) else { return nil }
        // Both dates are in UTC, so they can be sorted as strings.
        let formatter = ISO8601DateFormatter()
        let committed = formatter.string(from: Date(timeIntervalSince1970: seconds))
        return ResultOrigin(
            commit: String(parts[0]), subject: String(parts[2]), committed: committed,
            measured: formatter.string(from: Date()),
            isChanged: answer(["status", "--porcelain", "--untracked-files=no"]) != nil)
    }

    func commit(_ ref: String) throws(InputError) -> String {
        let outcome = try run(["rev-parse", "--verify", "--quiet", ref + "^{commit}"])
        guard outcome.status == 0, !outcome.text.isEmpty else {
            throw InputError(
                file: name, problem: "git does not know this commit in \(folder)",
                remedy: "name a branch, a tag or a commit of this repository; after a shallow "
                    + "checkout run `git fetch --unshallow` first")
        }
        return outcome.text
    }

    /// Writes the files of a commit to a folder, with those of its submodules.
    ///
    /// A dependency such as `../Library` must be found, too. So the other contents of the
    /// repository's parent folders are linked at the same relative paths.
    ///
    /// - Returns: the path of the exported package.
    func export(_ commit: String, below place: String) throws(InputError) -> String {
        guard let top else {
            throw InputError(
                file: name, problem: "\(folder) is not in a git repository",
                remedy: "pass a built program with --base-build")
        }
        let tree = place + top
        do { try Self.link(aroundOf: top, below: place) } catch {
            throw InputError(
                file: place, problem: "files cannot be created here (\(error))",
                remedy: "set TMPDIR to a folder that is writable")
        }
        try Self(folder: top, name: name).write(commit, to: tree, index: place + "/index")
        let real = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        return place + real
    }

    /// Whether the manifest depends on a package outside the repository. The commit does not
    /// contain its files.
    func hasOutsideDependency() throws(InputError) -> Bool {
        guard let top,
            let manifest = try? String(contentsOfFile: folder + "/Package.swift", encoding: .utf8)
        else { return false }
        return manifest.matches(of: #/path:\s*"([^"]+)"/#).contains { match in
            let path = URL(
                fileURLWithPath: String(match.1),
                relativeTo: URL(fileURLWithPath: folder, isDirectory: true)
            ).standardizedFileURL.path
            return path != top && !path.hasPrefix(top + "/")
        }
    }

    /// Recreates the path of the repository's parent folders, and links their other contents.
    private static func link(aroundOf top: String, below place: String) throws {
        let files = FileManager.default
        var folder = ""
        for part in top.split(separator: "/") {
            try files.createDirectory(atPath: place + folder, withIntermediateDirectories: true)
            for name in (try? files.contentsOfDirectory(atPath: folder + "/")) ?? []
            where name != part && !files.fileExists(atPath: "\(place)\(folder)/\(name)") {
                try files.createSymbolicLink(
                    atPath: "\(place)\(folder)/\(name)",
                    withDestinationPath: "\(folder)/\(name)")
            }
            folder += "/" + part
        }
        try files.createDirectory(atPath: place + folder, withIntermediateDirectories: true)
    }

    /// Checks out a commit with a temporary index. The repository's index does not change.
    private func write(_ commit: String, to tree: String, index: String) throws(InputError) {
        let environment = ["GIT_INDEX_FILE": index, "GIT_WORK_TREE": tree]
        try need(["read-tree", commit], environment)
        try need(["checkout-index", "--all", "--force", "--prefix=" + tree + "/"], environment)
        let files = try need(["ls-files", "--stage"], environment)
        for entry in files.text.split(separator: "\n") where entry.hasPrefix("160000 ") {
            // A line `160000 COMMIT 0<tab>PATH` describes a submodule. Its repository is in the
            // working tree.
            let parts = entry.split(separator: "\t", maxSplits: 1)
            let words = parts[0].split(separator: " ")
            guard parts.count == 2, words.count == 3 else { continue }
            let module = Self(folder: folder + "/" + parts[1], name: name)
            try module.write(
                String(words[1]), to: tree + "/" + parts[1], index: index + "-module")
        }
    }

    @discardableResult
    private func need(
        _ words: [String], _ environment: [String: String] = [:]
    ) throws(InputError) -> ChildCommand.Outcome {
        let outcome = try run(words, environment)
        guard outcome.status == 0 else {
            throw InputError(
                file: name,
                problem: "`git \(words.joined(separator: " "))` in \(folder) ended with "
                    + "\(outcome.status): \(outcome.text.suffix(300))",
                remedy: "pass a built program with --base-build")
        }
        return outcome
    }

    private func run(
        _ words: [String], _ environment: [String: String] = [:]
    ) throws(InputError) -> ChildCommand.Outcome {
        do {
            return try ChildCommand(["git", "-C", folder] + words, environment: environment).run()
        } catch {
            throw InputError(
                file: name, problem: "`git` cannot be run: \(error)", remedy: "install it")
        }
    }

    private func answer(_ words: [String]) -> String? {
        guard let outcome = try? run(words), outcome.status == 0, !outcome.text.isEmpty else {
            return nil
        }
        return outcome.text
    }
}
