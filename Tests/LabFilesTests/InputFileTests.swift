import Foundation
import Glibc
import LabFiles
import Testing

@Suite struct InputFileTests {
    private let folder = try! Scratch()

    private func problem(_ path: String, atMost limit: Int = 100) -> String? {
        do throws(FileProblem) {
            _ = try InputFile.bytes(at: path, atMost: limit)
            return nil
        } catch { return error.what }
    }

    @Test func `a regular file is read whole, even if empty or exactly as long as the limit`()
        throws
    {
        for size in [0, 1, 99, 100] {
            let bytes = [UInt8](repeating: 7, count: size)
            let path = try folder.write(Data(bytes), to: "file")
            #expect(try InputFile.bytes(at: path, atMost: 100) == bytes)
        }
    }

    @Test func `a file that is too long is not read`() throws {
        let path = try folder.write(Data(count: 101), to: "long")
        #expect(problem(path) == "the file has 101 bytes, and the limit is 100")
        // The sparse file takes neither disk space nor time.
        #expect(truncate(path, 1 << 40) == 0)
        #expect(problem(path)?.contains("1099511627776 bytes") == true)
    }

    @Test func `pipes, devices, folders and invalid paths are refused without waiting`() {
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(problem(pipe) == "this is a pipe, a device or a socket")
        #expect(problem("/dev/zero") == "this is a pipe, a device or a socket")
        #expect(problem(folder.path) == "this is a folder")
        #expect(problem(folder.path + "/absent") == "this file does not exist")
        #expect(problem("") == "this is not a path")
        #expect(problem("/etc/passwd\0.yaml") == "this is not a path")
    }
}

@Suite struct FileScopeTests {
    private let folder = try! Scratch()

    private func isInside(_ scope: FileScope, _ path: String, in base: String) -> Bool {
        (try? scope.place(of: path, in: base)) != nil
    }

    @Test func `a path stays below the folder, even if its file does not exist yet`() throws {
        let own = try folder.makeFolder("own")
        try folder.makeFolder("own/inner")
        let scope = FileScope(ofFile: own + "/a.yaml")
        for path in [
            "b.yaml", "inner/../b.yaml", "./inner/c", own + "/b", "inner", "~/x", "absent/x",
        ] {
            #expect(isInside(scope, path, in: own), "\(path)")
        }
        for path in ["../x", "/etc/passwd", "inner/../../x", "..", own + "-other/x", "a\0b", ""] {
            #expect(!isInside(scope, path, in: own), "\(path)")
        }
    }

    @Test func `links are followed before they are checked`() throws {
        let own = try folder.makeFolder("own")
        let other = try folder.makeFolder("other")
        _ = try folder.write(Data(), to: "other/secret")
        func link(_ name: String, _ target: String) {
            #expect(symlink(target, own + "/" + name) == 0)
        }
        link("file", other + "/secret")
        link("folder", other)
        link("dangling", other + "/absent")
        link("circle", own + "/circle")
        link("fine", own)
        let scope = FileScope(ofFile: own + "/a.yaml")
        for path in ["file", "folder/secret", "folder/absent", "dangling", "circle", "fine/../x"] {
            #expect(!isInside(scope, path, in: own), "\(path)")
        }
        #expect(isInside(scope, "fine/b.yaml", in: own))
    }

    @Test func `a named folder, and a catalogue above it, widen the scope`() throws {
        let inner = try folder.makeFolder("Scenarios/chapter/inner")
        #expect(isInside(FileScope(ofFile: inner + "/a.yaml"), "../../shared/b", in: inner))
        #expect(!isInside(FileScope(ofFile: inner + "/a.yaml"), "../../../b", in: inner))
        let own = try folder.makeFolder("mine/chapter")
        #expect(!isInside(FileScope(ofFile: own + "/a.yaml"), "../shared/b", in: own))
        let named = FileScope(ofFile: own + "/a.yaml", foundIn: folder.path + "/mine")
        #expect(isInside(named, "../shared/b", in: own))
        #expect(isInside(.everything, "/etc/passwd", in: own))
    }

    @Test func `a model's folder contains only plain files of its own`() throws {
        let model = try folder.makeFolder("A.xcdatamodel")
        _ = try folder.write(Data(), to: "A.xcdatamodel/contents")
        try FileScope.checkModel(model, named: "A")
        #expect(symlink("/etc/passwd", model + "/link") == 0)
        #expect(throws: FileProblem.self) { try FileScope.checkModel(model, named: "A") }
        #expect(unlink(model + "/link") == 0 && mkfifo(model + "/pipe", 0o600) == 0)
        #expect(throws: FileProblem.self) { try FileScope.checkModel(model, named: "A") }
        #expect(throws: FileProblem.self) { try FileScope.checkModel("/etc/passwd", named: "A") }
    }
}

@Suite struct YAMLBoundsTests {
    private func excess(_ text: String) -> String? {
        do throws(YAMLBounds.Excess) {
            try YAMLBounds.check(text)
            return nil
        } catch { return "\(error.line):\(error.column) \(error.problem.what)" }
    }

    @Test func `aliases count as much as their values, also as keys`() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...30 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        #expect(excess(text)?.contains("unfolds to more than 100000 values") == true)
        let key = text.replacing("a30: &a30", with: "? &a30").appending("\n: 1\n")
        #expect(excess(key)?.contains("unfolds to more than") == true)
        #expect(excess("a: &a [1, 2]\nb: *a\nc: [*a, *a]\n") == nil)
    }

    @Test func `nesting has a bound, in flow and in block style`() {
        func flow(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(excess(flow(50)) == nil)
        #expect(excess(flow(51)) == "1:51 lists and mappings are nested more than 50 levels deep")
        #expect(excess(String(repeating: "- ", count: 51) + "x")?.contains("nested") == true)
        // The limit of the parser applies first, so its message is printed.
        #expect(excess(flow(100_000)) == nil)
    }
}

/// A folder that is removed after the test.
final class Scratch {
    let path: String

    init() throws {
        // The path without links, so that it can be compared with real paths.
        let base = try #require(realpath(NSTemporaryDirectory(), nil))
        defer { free(base) }
        path = String(cString: base) + "/files-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ data: Data, to name: String) throws -> String {
        try data.write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    @discardableResult func makeFolder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(
            atPath: "\(path)/\(name)", withIntermediateDirectories: true)
        return "\(path)/\(name)"
    }
}
