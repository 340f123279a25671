import Glibc

/// A workload that a program of a user's own declares in its sources.
package struct OwnWorkload: Sendable {
    package let name: String
    /// A sentence about what it shows.
    package let about: String
    /// The source file as the compiler saw it.
    package let path: String
    /// The source file by its module, as `ShelfBench/main.swift`.
    package let id: String
    package let line: Int

    package init(name: String, about: String, path: String, id: String, line: Int) {
        self.name = name
        self.about = about
        self.path = path
        self.id = id
        self.line = line
    }

    /// The source file as results name it: relative to its repository, without one to its package,
    /// or by its module where there is neither any more.
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
