import Foundation
import Glibc
import LabFiles
import Testing

/// Output to a path that the user names.
@Suite struct OutputFileTests {
    private let folder: LabFiles.TemporaryFolder

    init() throws { folder = try TemporaryFolder("output") }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    private func write(_ text: String, to name: String) throws {
        try OutputFile.write(Array(text.utf8), to: path(name))
    }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func status(_ name: String) throws -> stat {
        var found = stat()
        try #require(lstat(path(name), &found) == 0)
        return found
    }

    @Test(arguments: [0o600, 0o640, 0o755] as [mode_t])
    func `a file is replaced in one step and keeps its permissions`(mode: mode_t) throws {
        try write("old and longer", to: "a")
        #expect(chmod(path("a"), mode) == 0)
        let before = try status("a")
        try write("new", to: "a")
        let after = try status("a")
        #expect(text("a") == "new")
        #expect(after.st_mode & 0o7777 == mode && after.st_ino != before.st_ino)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
    }

    @Test func `links stay links, and their targets are written`() throws {
        try write("old", to: "target")
        #expect(chmod(path("target"), 0o600) == 0)
        #expect(symlink("target", path("link")) == 0)
        #expect(symlink(path("link"), path("second")) == 0)
        #expect(symlink("missing", path("dangling")) == 0)
        try write("new", to: "second")
        try write("made", to: "dangling")
        for name in ["link", "second", "dangling"] {
            #expect(try status(name).st_mode & S_IFMT == S_IFLNK)
        }
        #expect(text("target") == "new" && text("missing") == "made")
        #expect(try status("target").st_mode & 0o7777 == 0o600)
    }

    @Test func `a pipe is written to and stays a pipe`() throws {
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        let reader = open(path("pipe"), O_RDONLY | O_NONBLOCK)
        try #require(reader >= 0)
        defer { close(reader) }
        try write("through", to: "pipe")
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = read(reader, &bytes, bytes.count)
        #expect(String(decoding: bytes[..<max(0, count)], as: UTF8.self) == "through")
        #expect(try status("pipe").st_mode & S_IFMT == S_IFIFO)
    }

    @Test(arguments: ["/proc/self/fd/", "/dev/fd/"])
    func `an open file of the process is written in its position`(prefix: String) throws {
        let file = open(path("log"), O_WRONLY | O_CREAT, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        #expect(Glibc.write(file, "before ", 7) == 7)
        try OutputFile.write(Array("after".utf8), to: "\(prefix)\(file)")
        #expect(symlink("\(prefix)\(file)", path("stdout")) == 0)
        try write(" last", to: "stdout")
        #expect(text("log") == "before after last")
    }

    @Test func `an existing file in a folder that allows no new files is overwritten`() throws {
        try write("old and longer", to: "a")
        #expect(chmod(folder.path, 0o500) == 0)
        defer { chmod(folder.path, 0o700) }
        try write("new", to: "a")
        #expect(text("a") == "new")
    }

    @Test func `a folder and a missing folder are refused`() throws {
        #expect(throws: FileProblem.self) { try OutputFile.write([1], to: folder.path) }
        #expect(throws: FileProblem.self) { try write("x", to: "none/a") }
        #expect(throws: FileProblem.self) { try OutputFile.write([1], to: "") }
    }

    @Test func `text is added to the end`() throws {
        try OutputFile.append(Array("a".utf8), to: path("log"))
        try OutputFile.append(Array("b".utf8), to: path("log"))
        #expect(text("log") == "ab")
    }
}
