import CoreDataModel
import CoreDataStore
import Foundation
import ScenarioWriting

/// The kind of an entry in a log.
enum LogKind: UInt8 {
    case read = 1
    case set, insert, fetch, count, lookUp, members, link, unlink, delete, refreshKeeping
    case refreshDiscarding, refreshAll, reset, rollback, undo, redo, beginSave, rowBefore, rowAfter
    case rowGone, commit, endSave, becomes, conflict, mergeFrom, mergeByItself, mergeUnknown
    case batch, enqueue, wait, beginBlock, endBlock, other, call, wanted, rowFound, rowMissing
    case decided, skipped

    /// Whether the entry is about the rows of a save.
    var isAboutRows: Bool {
        switch self {
        case .beginSave, .conflict, .rowBefore, .rowAfter, .rowGone, .wanted, .rowFound,
            .rowMissing, .decided:
            true
        default: false
        }
    }
}

/// The first word of an entry: the entry's kind, a slot or another small number, and the number of
/// words.
struct LogHead {
    let kind: LogKind
    let small: Int
    let count: Int

    init(_ kind: LogKind, small: Int, count: Int) {
        self.kind = kind
        self.small = small
        self.count = count
    }

    init?(_ word: UInt64) {
        guard let kind = LogKind(rawValue: UInt8(truncatingIfNeeded: word)) else { return nil }
        self.kind = kind
        small = Int(word >> 8 & 0xff_ffff)
        count = Int(word >> 32)
    }

    var word: UInt64 {
        UInt64(kind.rawValue) | UInt64(small & 0xff_ffff) << 8 | UInt64(count) << 32
    }
}

/// The time of a read on the shared clock and the version of the object's row, in one word.
struct ReadMoment {
    let stamp: UInt64
    let version: Int

    private static let stampBits: UInt64 = 40

    @inline(__always)
    static func word(stamp: UInt64, version: Int32) -> UInt64 {
        let largest = UInt64.max >> stampBits
        return stamp & (1 << stampBits - 1)
            | Swift.min(UInt64(UInt32(bitPattern: version)), largest) << stampBits
    }

    init(_ word: UInt64) {
        stamp = word & (1 << Self.stampBits - 1)
        version = Int(word >> Self.stampBits)
    }
}

/// The slot of a read, and whether the value was unsaved, in one small number.
struct ReadSlot {
    let slot: Int
    let isUnsaved: Bool

    private static let unsavedBit = 1 << 23

    @inline(__always)
    static func small(_ slot: Int, isUnsaved: Bool) -> Int {
        isUnsaved ? slot | unsavedBit : slot
    }

    init(_ small: Int) {
        slot = small & (Self.unsavedBit - 1)
        isUnsaved = small & Self.unsavedBit != 0
    }
}

/// Writes and reads a value in a log: a word with the kind of the value, followed by the value
/// itself.
enum LogValue {
    /// The maximum length in bytes of recorded strings and data. Longer values are not recorded.
    static let bytesMax = 240
    /// The maximum number of words for one value.
    static let wordsMax = 2 + bytesMax / 8

    private enum Tag: UInt64 {
        case null, integer, double, text, bytes, uuid, decimal, reference, lost
    }

    private static func head(_ tag: Tag, _ count: Int) -> UInt64 {
        tag.rawValue | UInt64(count) << 8
    }

    // MARK: Writing

    /// Writes the value of a slot in a row.
    ///
    /// - Returns: the number of words written.
    static func write(
        _ cells: UnsafeRawPointer, _ slot: Int, _ kind: ValueKind,
        to words: UnsafeMutablePointer<UInt64>
    ) -> Int {
        if RowFormat.isNull(cells, slot: slot) { return write(.null, words) }
        switch kind {
        case .integer16, .integer32, .integer64, .boolean:
            return write(.integer, RowFormat.word(cells, slot: slot), words)
        case .double, .float, .date:
            return write(.double, RowFormat.word(cells, slot: slot), words)
        case .toOne: return write(.reference, RowFormat.word(cells, slot: slot), words)
        case .string, .uri: return write(.text, RowFormat.bytes(cells, slot: slot), words)
        case .decimal: return write(.decimal, RowFormat.bytes(cells, slot: slot), words)
        case .uuid: return write(.uuid, RowFormat.bytes(cells, slot: slot), words)
        case .binary: return write(.bytes, RowFormat.bytes(cells, slot: slot), words)
        }
    }

    static func write(_ value: Value, to words: UnsafeMutablePointer<UInt64>) -> Int {
        switch value {
        case .null: return write(.null, words)
        case .integer(let number): return write(.integer, UInt64(bitPattern: number), words)
        case .double(let number): return write(.double, number.bitPattern, words)
        case .reference(let key): return write(.reference, key.packed, words)
        case .string(var text):
            return text.withUTF8 { write(.text, UnsafeRawBufferPointer($0), words) }
        case .decimal(let decimal):
            var digits = decimal.description
            return digits.withUTF8 { write(.decimal, UnsafeRawBufferPointer($0), words) }
        case .uuid(let uuid):
            return withUnsafeBytes(of: uuid.uuid) { write(.uuid, $0, words) }
        case .data(let data):
            return data.withUnsafeBytes { write(.bytes, $0, words) }
        case .object: return write(.lost, words)
        }
    }

    private static func write(_ tag: Tag, _ words: UnsafeMutablePointer<UInt64>) -> Int {
        words[0] = head(tag, 0)
        return 1
    }

    private static func write(
        _ tag: Tag, _ word: UInt64, _ words: UnsafeMutablePointer<UInt64>
    ) -> Int {
        words[0] = head(tag, 8)
        words[1] = word
        return 2
    }

    private static func write(
        _ tag: Tag, _ bytes: UnsafeRawBufferPointer, _ words: UnsafeMutablePointer<UInt64>
    ) -> Int {
        guard bytes.count <= bytesMax else {
            words[0] = head(.lost, bytes.count)
            return 1
        }
        words[0] = head(tag, bytes.count)
        let count = (bytes.count + 7) / 8
        if count > 0 {
            words[count] = 0
            if let start = bytes.baseAddress {
                UnsafeMutableRawPointer(words + 1).copyMemory(
                    from: start, byteCount: bytes.count)
            }
        }
        return 1 + count
    }

    // MARK: Reading

    /// Reads the value at the beginning of the words. Returns the value and the remaining words, or
    /// nil if the words do not begin with a value.
    static func read(
        _ words: ArraySlice<UInt64>, _ object: (ObjectKey) -> RecordedObject
    ) -> (value: RecordedValue, rest: ArraySlice<UInt64>)? {
        guard let head = words.first, let tag = Tag(rawValue: head & 0xff) else { return nil }
        let length = Int(head >> 8 & 0xffff_ffff)
        let rest = words.dropFirst()
        switch tag {
        case .null: return (.null, rest)
        case .lost: return (.lost("\(length) bytes"), rest)
        default: break
        }
        let count = (length + 7) / 8
        guard count <= rest.count else { return nil }
        let first = rest.first ?? 0
        let behind = rest.dropFirst(count)
        let bytes = Array(rest.prefix(count)).withUnsafeBytes { Array($0.prefix(length)) }
        switch tag {
        case .integer: return (.integer(Int64(bitPattern: first)), behind)
        case .double: return (.number(Double(bitPattern: first)), behind)
        case .reference: return (.object(object(ObjectKey(packed: first))), behind)
        case .text: return (.text(String(decoding: bytes, as: UTF8.self)), behind)
        case .decimal: return (.decimal(String(decoding: bytes, as: UTF8.self)), behind)
        case .uuid: return (.text(uuid(bytes)), behind)
        case .bytes, .null, .lost: return (.bytes(bytes), behind)
        }
    }

    private static func uuid(_ bytes: [UInt8]) -> String {
        let digits = bytes.map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.count < 2 ? "0" + text : text
        }
        let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
        return groups.map { digits[$0.clamped(to: digits.indices)].joined() }
            .joined(separator: "-")
    }
}
