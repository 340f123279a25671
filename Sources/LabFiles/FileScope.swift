import Glibc

/// The folders that the paths in a file may lead to, after symbolic links are resolved.
///
/// Without this limit, a file of unknown origin could make the lab read any file of the machine and
/// show it in a log. The loaders create one scope for each file on the command line.
package struct FileScope: Sendable {
    /// The names of catalogue folders. A file in such a folder may refer to every other file below
    /// the folder.
    private static let catalogues: Set<String> = ["Scenarios", "Workloads"]

    /// The resolved paths of the permitted folders, without a slash at the end.
    private let roots: [String]
    private let isOpen: Bool

    /// A scope without restrictions, for files of the program itself and for `--allow-outside`.
    package static let everything = FileScope(roots: [], isOpen: true)

    private init(roots: [String], isOpen: Bool) {
        self.roots = roots
        self.isOpen = isOpen
    }

    /// Creates a scope that consists of one folder.
    package init(folder: String) {
        self.init(roots: [Self.realPath(folder)].compactMap(\.self), isOpen: false)
    }

    /// Creates the scope of a scenario or a workload. It consists of the file's own folder, the
    /// folder on the command line in which the file was found, and the nearest enclosing folder
    /// that is called `Scenarios` or `Workloads`.
    ///
    /// - Parameters:
    ///   - file: the scenario or workload.
    ///   - named: the folder on the command line; nil if the command line names the file itself.
    package init(ofFile file: String, foundIn named: String? = nil) {
        var roots: [String] = []
        if let own = Self.realPath(Self.folder(of: file)) {
            roots.append(own)
            if let catalogue = Self.catalogue(above: own) { roots.append(catalogue) }
        }
        if let named = named.flatMap(Self.realPath) { roots.append(named) }
        self.init(roots: roots, isOpen: false)
    }

    /// Returns the resolved path for a path that appears in a file.
    ///
    /// - Parameters:
    ///   - path: the path as it appears in the file. It is relative to `folder`, unless it starts
    ///     with a slash.
    ///   - folder: the folder of that file.
    /// - Throws: a ``FileProblem`` for a path outside of the scope's folders. The error does not
    ///   reveal whether the path exists.
    package func place(of path: String, in folder: String) throws(FileProblem) -> String {
        guard InputFile.isWhole(path) else {
            throw FileProblem(
                "'\(path.filter { $0 != "\0" })' is not a path",
                instead: "write the path of a file")
        }
        let whole = path.hasPrefix("/") ? path : "\(folder)/\(path)"
        if isOpen { return whole }
        guard let real = Self.resolved(whole), contains(real) else {
            throw FileProblem(
                "'\(path)' is outside this file's folder",
                instead: "put it below that folder, name a folder that contains both on the command"
                    + " line, or add --allow-outside")
        }
        return real
    }

    /// Checks that a model consists only of regular files inside its own folder. Reading the model
    /// then opens no other files.
    ///
    /// - Parameters:
    ///   - real: a path from ``place(of:in:)``; it need not exist.
    ///   - path: the same path as it appears in the file.
    package static func checkModel(_ real: String, named path: String) throws(FileProblem) {
        guard [".xcdatamodeld", ".xcdatamodel", ".momd", ".mom"].contains(where: real.hasSuffix)
        else {
            throw FileProblem(
                "'\(path)' is not a model", instead: "name an .xcdatamodeld or .xcdatamodel")
        }
        if isFolder(real) {
            try FileScope(folder: real).checkContents(of: real)
        } else if access(real, F_OK) == 0 {
            try InputFile.check(real, atMost: modelMax)
        }
    }

    /// The maximum size in bytes of a file of a model.
    private static let modelMax = 50_000_000

    /// Checks that the links in the folder lead to files inside the folder, and that the folder
    /// contains a limited number of files.
    private func checkContents(of path: String) throws(FileProblem) {
        var left = 1_000
        var folders = [path]
        while let folder = folders.popLast() {
            for name in try Self.names(in: folder) {
                left -= 1
                guard left > 0 else {
                    throw FileProblem(
                        "the model's folder contains too many files", instead: "name a model")
                }
                let inner = try place(of: name, in: folder)
                if !Self.isFolder(inner) {
                    try InputFile.check(inner, atMost: Self.modelMax)
                } else if inner == "\(folder)/\(name)" {
                    // A link to a folder is not followed, because it may lead to a folder above.
                    folders.append(inner)
                }
            }
        }
    }

    private func contains(_ real: String) -> Bool {
        roots.contains { real == $0 || real.hasPrefix($0 == "/" ? "/" : $0 + "/") }
    }

    // MARK: Paths

    /// The folder of a file. The result is absolute if the file's path is absolute.
    package static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    private static func catalogue(above folder: String) -> String? {
        var parts = folder.split(separator: "/")
        while let last = parts.last {
            if catalogues.contains(String(last)) { return "/" + parts.joined(separator: "/") }
            parts.removeLast()
        }
        return nil
    }

    private static func realPath(_ path: String) -> String? {
        guard InputFile.isWhole(path), let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// The path with resolved symbolic links. Last components that do not exist are appended
    /// unchanged.
    private static func resolved(_ path: String) -> String? {
        if let real = realPath(path) { return real }
        var status = stat()
        // Links whose target does not exist, and links that lead back to themselves, cannot be
        // resolved.
        if lstat(path, &status) == 0 { return nil }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let name = path[path.index(after: slash)...]
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        let above = slash == path.startIndex ? "/" : String(path[..<slash])
        return resolved(above).map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func names(in folder: String) throws(FileProblem) -> [String] {
        guard let stream = opendir(folder) else {
            throw FileProblem("the folder cannot be read", instead: "name a readable folder")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
