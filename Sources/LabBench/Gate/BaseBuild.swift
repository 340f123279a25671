import Foundation
import LabFiles

/// Builds earlier commits for `gate --base`. The tool uses it, and so do the benchmark programs of
/// users.
package struct BaseBuild: Sendable {
    /// The folder of the package. It is in a git repository.
    private let folder: String
    private let product: String
    private let progress: ProgressSink

    package init(folder: String, product: String, progress: @escaping ProgressSink = { _ in }) {
        self.folder = folder
        self.product = product
        self.progress = progress
    }

    /// Builds the sources of a commit in a temporary folder, or finds the program of an earlier
    /// call.
    ///
    /// Building needs git and a Swift toolchain (the variable `SWIFT` replaces the command
    /// `swift`). The program and the files that it needs are kept below `.build/bases` of the
    /// package. The sources are removed, and the repository itself does not change.
    ///
    /// - Parameter ref: a branch, a tag or a commit.
    /// - Returns: the program's path; nil if the package did not have the product yet in this
    ///   commit.
    package func program(of ref: String) throws(InputError) -> String? {
        let git = GitRepository(folder: folder, name: "--base \(ref)")
        let commit = try git.commit(ref)
        let kept = folder + "/.build/bases/" + commit.prefix(12) + Self.configuration.suffix
        let program = kept + "/" + product
        if FileManager.default.isExecutableFile(atPath: program), try !git.hasOutsideDependency() {
            return program
        }
        let place: TemporaryFolder
        do throws(FileProblem) { place = try TemporaryFolder("base") } catch {
            throw InputError(
                file: TemporaryFolder.base, problem: error.what, remedy: error.instead)
        }
        defer { place.remove() }
        progress(ProgressUpdate("sources of \(ref)", completed: 0, total: nil))
        let tree = try git.export(commit, below: place.path)
        guard try hasProduct(tree, ref) else { return nil }
        try build(tree, ref)
        try keep(tree + "/.build/" + Self.configuration.name, in: kept, ref)
        return program
    }

    private static var configuration: (name: String, suffix: String) {
        MachineFacts.isDebugBuild ? ("debug", "-debug") : ("release", "")
    }

    private var swift: String { ProcessInfo.processInfo.environment["SWIFT"] ?? "swift" }

    private struct Manifest: Decodable {
        struct Product: Decodable { let name: String }
        struct Target: Decodable {
            let name: String
            let type: String
        }
        let products: [Product]
        let targets: [Target]

        /// - Parameter text: the output of `swift package dump-package`. It may begin with
        ///   warnings.
        init?(_ text: String) {
            guard let start = text.range(of: "{\n") else { return nil }
            let json = Data(text[start.lowerBound...].utf8)
            guard let read = try? JSONDecoder().decode(Manifest.self, from: json) else {
                return nil
            }
            self = read
        }

        func hasProgram(_ name: String) -> Bool {
            products.contains { $0.name == name }
                || targets.contains { $0.name == name && $0.type == "executable" }
        }
    }

    private func hasProduct(_ tree: String, _ ref: String) throws(InputError) -> Bool {
        guard FileManager.default.fileExists(atPath: tree + "/Package.swift") else { return false }
        let command = ChildCommand([swift, "package", "dump-package", "--package-path", tree])
        let outcome = try run(command, ref) { _ in }
        // If the manifest cannot be read, the build reports the problem.
        guard outcome.status == 0, let manifest = Manifest(outcome.text) else { return true }
        return manifest.hasProgram(product)
    }

    private func build(_ tree: String, _ ref: String) throws(InputError) {
        let command = ChildCommand([
            swift, "build", "-c", Self.configuration.name, "--product", product,
            "--package-path", tree,
        ])
        let outcome = try run(command, ref) { line in
            guard let (done, total, what) = Self.step(line) else { return }
            progress(
                ProgressUpdate("build of \(ref): \(what)", completed: done, total: total))
        }
        guard outcome.status == 0 else {
            throw InputError(
                file: "--base \(ref)",
                problem: "`swift build --product \(product)` ended with \(outcome.status): "
                    + Self.reason(outcome.text),
                remedy: "name a commit that builds here, or pass a built program with --base-build")
        }
    }

    private static func step(_ line: String) -> (done: Int, total: Int, what: String)? {
        guard line.hasPrefix("["), let end = line.firstIndex(of: "]") else { return nil }
        let numbers = line[line.index(after: line.startIndex)..<end].split(separator: "/")
        guard numbers.count == 2, let done = Int(numbers[0]), let total = Int(numbers[1]) else {
            return nil
        }
        let words = line[line.index(after: end)...].split(separator: " ").prefix(2)
        return (done, total, words.joined(separator: " "))
    }

    /// The lines of the output with errors. If no line has one, the last lines.
    private static func reason(_ text: String) -> String {
        let lines = text.split(separator: "\n")
        let errors = lines.filter { $0.contains("error:") }
        return (errors.isEmpty ? Array(lines.suffix(5)) : Array(errors.prefix(5)))
            .joined(separator: " / ")
    }

    /// Copies the program, and the libraries and bundles that it loads from its folder.
    private func keep(
        _ products: String, in folder: String, _ ref: String
    ) throws(InputError) {
        let files = FileManager.default
        do {
            try? files.removeItem(atPath: folder)
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in try files.contentsOfDirectory(atPath: products)
            where name.hasSuffix(".resources") || name.hasSuffix(".so") {
                try files.copyItem(atPath: products + "/" + name, toPath: folder + "/" + name)
            }
            // The program is copied last. So if a folder contains the program, it is complete.
            try files.copyItem(
                atPath: products + "/" + product, toPath: folder + "/" + product)
        } catch {
            throw InputError(
                file: folder, problem: "the build of \(ref) cannot be kept here (\(error))",
                remedy: "make the folder writable, or pass a built program with --base-build")
        }
    }

    private func run(
        _ command: ChildCommand, _ ref: String, _ line: (String) -> Void
    ) throws(InputError) -> ChildCommand.Outcome {
        do { return try command.run(line) } catch {
            throw InputError(
                file: "--base \(ref)", problem: "`\(command.words[0])` cannot be run: \(error)",
                remedy: "install it")
        }
    }
}
