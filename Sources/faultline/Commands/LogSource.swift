import CommandLineSupport
import Foundation
import LabFiles

/// A log for `sql`. It is read in chunks from a file or from standard input.
final class LogSource {
    private let name: String
    private let file: FileHandle
    private let size: Int?
    private let progress: ProgressSink
    private var count = 0

    private static let pieceSize = 1 << 18
    private static let megabyte = 1_000_000

    /// - Parameters:
    ///   - name: a path, or `-` for standard input.
    ///   - progress: shows the progress on a terminal.
    init(_ name: String, progress: ProgressLine) throws(InputError) {
        self.name = name
        if Console.isWatched { self.progress = progress.sink } else { self.progress = { _ in } }
        guard name != "-" else {
            file = .standardInput
            size = nil
            return
        }
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: name, isDirectory: &isFolder)
        if isThere, isFolder.boolValue {
            throw InputError(
                file: name, problem: "this is a folder", remedy: "name the log's file in it")
        }
        guard isThere, let file = FileHandle(forReadingAtPath: name) else {
            throw Self.unreadable(name)
        }
        self.file = file
        let attributes = try? FileManager.default.attributesOfItem(atPath: name)
        size = (attributes?[.size] as? NSNumber)?.intValue
    }

    private static func unreadable(_ name: String) -> InputError {
        InputError(
            file: name, problem: "this file cannot be read",
            remedy: "name a file that exists and is readable")
    }

    func next() throws(InputError) -> [UInt8]? {
        let data: Data?
        do { data = try file.read(upToCount: Self.pieceSize) } catch {
            throw Self.unreadable(name)
        }
        guard let data, !data.isEmpty else { return nil }
        count += data.count
        progress(
            ProgressUpdate(
                "read \(name), MB", completed: count / Self.megabyte,
                total: size.map { max($0, count) / Self.megabyte }))
        return [UInt8](data)
    }
}
