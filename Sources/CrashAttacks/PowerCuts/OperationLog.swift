import Foundation
import TortureCampaigns

/// A successful system call, or a line of the victim's output.
enum FileOperation: Equatable, Sendable {
    /// A new file. Its path is empty if it has no name.
    case create(path: String, inode: UInt64)
    /// An additional name of a file.
    case link(path: String, inode: UInt64)
    case write(inode: UInt64, offset: Int, bytes: [UInt8])
    case resize(inode: UInt64, size: Int)
    /// Extends a file to this size if the file is shorter.
    case extend(inode: UInt64, size: Int)
    case sync(path: String, inode: UInt64)
    case remove(path: String)
    case rename(from: String, to: String)
    case makeFolder(path: String)
    case say(String)
}

enum OperationLog {
    /// - Throws: an error if the shim did not write the log. An incomplete last record is ignored.
    static func read(_ path: String) throws(InputFailure) -> [FileOperation] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw InputFailure("the shim wrote no log to \(path)")
        }
        var reader = Reader(bytes: [UInt8](data))
        var operations: [FileOperation] = []
        while let record = reader.record() {
            if let operation = try record.operation() { operations.append(operation) }
        }
        return operations
    }

    /// The fields of the shim's `struct record`, and the data that follow it.
    private struct Record {
        var kind: UInt8
        var inode: UInt64
        var offset: Int
        var path: String
        var target: String
        var bytes: [UInt8]

        func operation() throws(InputFailure) -> FileOperation? {
            switch UnicodeScalar(kind) {
            case "c": .create(path: path, inode: inode)
            case "n": .create(path: "", inode: inode)
            case "l": .link(path: path, inode: inode)
            case "w": .write(inode: inode, offset: offset, bytes: bytes)
            case "t": .resize(inode: inode, size: offset)
            case "x": .extend(inode: inode, size: offset)
            case "s": .sync(path: path, inode: inode)
            case "u": .remove(path: path)
            case "r": .rename(from: path, to: target)
            case "d": .makeFolder(path: path)
            case "m": .say(String(decoding: bytes, as: UTF8.self))
            case "p": nil
            default: throw InputFailure("the shim's log has a record of the kind \(kind)")
            }
        }
    }

    private struct Reader {
        private static let headerSize = 40
        let bytes: [UInt8]
        var place = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func record() -> Record? {
            guard bytes.count - place >= Self.headerSize else { return nil }
            let kind = integer(UInt32.self)
            let pathLength = Int(integer(UInt32.self))
            let targetLength = Int(integer(UInt32.self))
            let hasBytes = integer(UInt32.self) != 0
            let inode = integer(UInt64.self)
            let offset = Int(integer(Int64.self))
            let length = Int(integer(Int64.self))
            let size = hasBytes ? length : 0
            guard bytes.count - place >= pathLength + targetLength + size else { return nil }
            let path = String(decoding: take(pathLength), as: UTF8.self)
            let target = String(decoding: take(targetLength), as: UTF8.self)
            return Record(
                kind: UInt8(truncatingIfNeeded: kind), inode: inode, offset: offset, path: path,
                target: target, bytes: Array(take(size)))
        }

        private mutating func integer<T: FixedWidthInteger>(_ type: T.Type) -> T {
            take(MemoryLayout<T>.size).reversed().reduce(0) { $0 << 8 | T($1) }
        }

        private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
            defer { place += count }
            return bytes[place..<place + count]
        }
    }
}
