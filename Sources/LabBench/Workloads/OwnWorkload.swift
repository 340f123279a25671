import Glibc

/// A workload that a user's program declares in its sources.
package struct OwnWorkload: Sendable {
    package let name: String
    package let about: String
    /// The path of the source file (`#filePath`).
    package let path: String
    /// The source file with its module (`#fileID`), such as `ShelfBench/main.swift`.
    package let id: String
    package let line: Int

    package init(name: String, about: String, path: String, id: String, line: Int) {
        self.name = name
        self.about = about
        self.path = path
        self.id = id
        self.line = line
    }

    /// The name of the source file in results. It is relative to the repository or the package, or
    /// else has its module.
    package var file: String {
        for mark in [".git", "Package.swift"] {
            var folder = path[...]
            while let slash = folder.lastIndex(of: "/") {
                folder = folder[..<slash]
                if Self.exists("\(folder)/\(mark)") {
                    return String(path.dropFirst(folder.count + 1))
                }
            }
        }
        return id
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
