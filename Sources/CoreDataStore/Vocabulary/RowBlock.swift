import CRowFormat
import CRuntimeShims
import CoreDataModel
import CoreDataTrace
import Foundation
import Synchronization

/// An immutable, packed block of rows, shared by the row cache and by the objects of all contexts.
///
/// One row consists of these parts:
///
///     null words | header | cells: one word for each value slot | bytes of strings
///
/// A pointer to the cells identifies the row, so reading a slot is one load. The null word next to
/// the header contains the entity, and above it the null bits, from slot 0 on. The block's memory
/// begins with the address of this object. The header's `distance` is the number of words from
/// there to the cells, so the block is found from the cells. Only one field changes later: the
/// header's mark, which is set while the row is in the row cache. `CRowFormat.h` names every
/// offset.
///
/// Strings, decimals (as text), UUIDs and binaries are an offset from the cells (lower half of the
/// word) and a byte count (upper half). A to-one value is an ``ObjectKey`` in one word.
///
/// Invariant: rows follow each other, each begins at a word boundary and is within the block's
/// memory, and the block is found from the cells of each row.
@usableFromInline package final class RowBlock {
    /// The rows, followed by the offsets of their cells.
    @usableFromInline package let bytes: UnsafeMutableRawPointer
    @usableFromInline package let offsets: UnsafeMutablePointer<Int32>
    @usableFromInline @exclusivity(unchecked) package private(set) var count: Int
    /// The row cache's change count when the rows were read; see `RowCache`.
    @usableFromInline package let generation: UInt64
    /// The time at which the rows were read, in seconds of the system clock. It shows which rows
    /// are stale.
    @usableFromInline package let timestamp: Double

    /// The owner, which is notified when the block is freed. Set once, before the block's rows are
    /// shared.
    @exclusivity(unchecked) private var owner: (any RowBlockOwner)?
    /// The address of the row cache, which is compared without changing reference counts.
    @usableFromInline @exclusivity(unchecked) var cacheAddress: UnsafeMutableRawPointer?
    @usableFromInline let shadow = Atomic(false)
    /// The version that all rows have in common; 0 if unknown. Read and written under the row
    /// cache's lock.
    @exclusivity(unchecked) var commonVersion: Int32 = 0

    /// Copies rows that were packed elsewhere. Allocates memory once, in addition to the block
    /// itself.
    ///
    /// - Parameter offsets: the offsets of the rows' cells.
    package init(
        copying rows: UnsafeRawBufferPointer, offsets source: UnsafeBufferPointer<Int32>,
        generation: UInt64, timestamp: Double
    ) {
        assert(
            rows.count >= FAULTLINE_BLOCK_HEADER_SIZE,
            "the memory is too small for the block's header")
        (bytes, offsets) = Self.allocate(rows.count, rows: source.count)
        if let start = rows.baseAddress { memcpy(bytes, start, rows.count) }
        if let start = source.baseAddress { offsets.update(from: start, count: source.count) }
        count = source.count
        self.generation = generation
        self.timestamp = timestamp
        bytes.storeBytes(of: address, as: UnsafeMutableRawPointer.self)
        assert(count == 0 || brokenRow(0) == nil, brokenRow(0) ?? "")
        assert(count == 0 || brokenRow(count - 1) == nil, brokenRow(count - 1) ?? "")
    }

    /// Creates a block to be filled by ``append(_:cellsAt:to:)``.
    ///
    /// - Parameters:
    ///   - room: the maximum number of bytes for rows, including the block's header.
    ///   - rows: the maximum number of rows.
    package init(room: Int, rows: Int, generation: UInt64, timestamp: Double) {
        (bytes, offsets) = Self.allocate(room, rows: rows)
        count = 0
        self.generation = generation
        self.timestamp = timestamp
        bytes.storeBytes(of: address, as: UnsafeMutableRawPointer.self)
    }

    private static func allocate(
        _ size: Int, rows: Int
    ) -> (bytes: UnsafeMutableRawPointer, offsets: UnsafeMutablePointer<Int32>) {
        let used = (size + 3) & ~3
        guard let made = malloc(used + 4 * rows) else {
            trap("A block of rows of \(size) bytes cannot be allocated.")
        }
        return (made, (made + used).bindMemory(to: Int32.self, capacity: rows))
    }

    /// Appends a packed row to the existing ones, which other threads may be reading.
    ///
    /// Only the code that created the block appends, on one thread.
    ///
    /// - Parameters:
    ///   - row: the row, beginning with its null words.
    ///   - cells: the offset of the row's cells.
    ///   - place: the row's offset from the block's first byte.
    @inline(__always)
    package func append(
        _ row: UnsafeRawBufferPointer, cellsAt cells: Int, to place: Int
    ) -> UnsafeRawPointer {
        assert(
            place + row.count <= room && cells <= row.count, "the row does not fit into the block")
        assert(count == 0 || place > Int(offsets[count - 1]), "the row overlaps the last one")
        if let start = row.baseAddress { memcpy(bytes + place, start, row.count) }
        let distance = place + cells
        assert(distance % FAULTLINE_WORD_SIZE == 0, "cells must begin at a word boundary")
        assert(
            distance / FAULTLINE_WORD_SIZE <= Int(UInt16.max),
            "the distance to the block's first byte does not fit")
        RowFormat.setDistance(bytes + distance, distance)
        (offsets + count).initialize(to: Int32(truncatingIfNeeded: distance))
        count += 1
        assert(brokenRow(count - 1) == nil, brokenRow(count - 1) ?? "")
        return UnsafeRawPointer(bytes + distance)
    }

    deinit {
        owner?.blockWillDie(self, openIn: nil)
        free(bytes)
    }

    /// Sets the owner, which is notified when the block is freed: the row cache, or the lone rows
    /// that fill it. Called before other code uses the block.
    package func setOwner(_ owner: some RowBlockOwner) {
        assert(
            cacheAddress == nil || cacheAddress == owner.cacheAddress,
            "another row cache holds the rows of this block")
        self.owner = owner
        cacheAddress = owner.cacheAddress
    }

    /// Whether the given row cache contains the rows of this block. Changes no reference count.
    @inlinable @inline(__always)
    func isCached(by cache: some RowBlockOwner) -> Bool {
        cacheAddress == Unmanaged.passUnretained(cache).toOpaque()
    }

    /// Whether a row of this block was replaced by another copy of the same version. Recorded only
    /// once for the block, because reading threads would contend for the memory of its rows.
    @inlinable var isShadowed: Bool { shadow.load(ordering: .relaxed) }

    /// Records that a row of this block was replaced by another copy of the same version. Called
    /// under the row cache's lock.
    func noteShadowed() {
        if !isShadowed { shadow.store(true, ordering: .relaxed) }
    }

    /// The block's own address. It is valid even while the block is being deinitialized.
    @inlinable package var address: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }

    /// The range of addresses of this block's cells.
    @inline(__always)
    var span: ClosedRange<UnsafeRawPointer> { UnsafeRawPointer(bytes)...UnsafeRawPointer(offsets) }

    /// A pointer to the cells of a row. It is valid as long as the block exists.
    @inlinable @inline(__always)
    package func cells(at index: Int) -> UnsafeRawPointer {
        assert(index >= 0 && index < count, "the block has no such row")
        return UnsafeRawPointer(bytes + Int(offsets[index]))
    }
}

// `@unchecked Sendable` because bytes, count and owner are only written before other code uses the
// block. There are two exceptions. The marks of rows are atomic. Appended rows are known only to
// their reader until the row cache's lock publishes them.
extension RowBlock: @unchecked Sendable {}

/// An object that must know when a block of rows is freed.
@usableFromInline
package protocol RowBlockOwner: AnyObject, Sendable {
    /// The address of the row cache: the owner itself, or the cache that the owner fills.
    var cacheAddress: UnsafeMutableRawPointer { get }

    /// Called in the block's `deinit`, on any thread; the rows can still be read.
    ///
    /// - Parameter rows: the lone rows that may append to the block.
    func blockWillDie(_ block: RowBlock, openIn rows: LoneRows?)
}

/// Accesses the parts of a row through its cells. `CRowFormat.h` defines the offsets.
@usableFromInline package enum RowFormat {
    @inlinable package static func key(_ cells: UnsafeRawPointer) -> Int64 {
        (cells + FAULTLINE_ROW_KEY).load(as: Int64.self)
    }

    @inlinable package static func version(_ cells: UnsafeRawPointer) -> Int32 {
        (cells + FAULTLINE_ROW_VERSION).load(as: Int32.self)
    }

    @inlinable package static func entity(_ cells: UnsafeRawPointer) -> Int {
        Int((cells + FAULTLINE_ROW_ENTITY).load(as: UInt16.self))
    }

    static func setDistance(_ cells: UnsafeMutableRawPointer, _ bytes: Int) {
        let distance = faultline_distance(Int64(bytes))
        (cells + FAULTLINE_ROW_DISTANCE).storeBytes(of: distance, as: UInt16.self)
    }

    /// The row's block, which lives as long as the cells may be used.
    @inlinable @inline(__always)
    package static func block(_ cells: UnsafeRawPointer) -> Unmanaged<RowBlock> {
        let words = Int((cells + FAULTLINE_ROW_DISTANCE).load(as: UInt16.self))
        let start = cells - FAULTLINE_WORD_SIZE &* words
        return Unmanaged.fromOpaque(start.load(as: UnsafeRawPointer.self))
    }

    /// Whether the row is marked as a row of the row cache. Another copy of the same version may
    /// have replaced it; see `RowCache.holds(_:in:)`.
    @inlinable @inline(__always)
    package static func isMarked(_ cells: UnsafeRawPointer) -> Bool {
        faultline_is_marked(cells + FAULTLINE_ROW_MARK)
    }

    /// Sets or clears the mark. Called under the row cache's lock.
    package static func mark(_ cells: UnsafeRawPointer, _ isSet: Bool) {
        faultline_mark(UnsafeMutableRawPointer(mutating: cells + FAULTLINE_ROW_MARK), isSet)
    }

    @inlinable package static func isNull(_ cells: UnsafeRawPointer, slot: Int) -> Bool {
        RowWords.isNull(cells, slot)
    }

    @inlinable package static func word(_ cells: UnsafeRawPointer, slot: Int) -> UInt64 {
        RowWords.word(cells, slot)
    }

    @inlinable package static func bytes(_ cells: UnsafeRawPointer, slot: Int)
        -> UnsafeRawBufferPointer
    {
        UnsafeRawBufferPointer(RowWords.bytes(cells, slot))
    }

    @inlinable package static func string(_ cells: UnsafeRawPointer, slot: Int) -> String {
        String(decoding: bytes(cells, slot: slot), as: UTF8.self)
    }

    package static func value(_ cells: UnsafeRawPointer, slot: Int, kind: ValueKind) -> Value {
        if isNull(cells, slot: slot) { return .null }
        switch kind {
        case .integer16, .integer32, .integer64, .boolean:
            return .integer(Int64(bitPattern: word(cells, slot: slot)))
        case .double, .float, .date:
            return .double(Double(bitPattern: word(cells, slot: slot)))
        case .string, .uri:
            return .string(string(cells, slot: slot))
        case .decimal:
            return Decimal(string: string(cells, slot: slot)).map(Value.decimal) ?? .null
        case .uuid:
            var uuid = UUID_NULL_BYTES
            withUnsafeMutableBytes(of: &uuid) {
                $0.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes(cells, slot: slot).prefix(16)))
            }
            return .uuid(UUID(uuid: uuid))
        case .binary:
            return .data(Data(bytes(cells, slot: slot)))
        case .toOne:
            return .reference(ObjectKey(packed: word(cells, slot: slot)))
        }
    }

    private static let UUID_NULL_BYTES: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

/// Writes rows one after the other into a block.
///
/// Call ``beginRow(key:version:entity:slotCount:)``, set slots in any order (a slot that is not set
/// stays null), repeat, and ``finish(generation:timestamp:)``. The builder is then empty and can be
/// reused.
@usableFromInline package struct RowBlockBuilder: ~Copyable {
    /// The number of rows that a fetch puts into one block. The exact number matters little for
    /// speed, but one row in use keeps its whole block alive.
    @usableFromInline package static let rowsPerBlock = 256
    @usableFromInline var bytes: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var used = FAULTLINE_BLOCK_HEADER_SIZE
    @usableFromInline var offsets: ContiguousArray<Int32> = []
    @usableFromInline var cells = 0

    package init(capacity: Int = 4096) {
        self.capacity = capacity
        bytes = malloc(capacity)!  // Safe: malloc of a few kilobytes does not fail on Linux.
    }

    deinit { free(bytes) }

    @inlinable package var isEmpty: Bool { offsets.isEmpty }

    /// Whether the builder is full and ``finish(generation:timestamp:)`` must be called.
    @inlinable package var isFull: Bool {
        offsets.count == Self.rowsPerBlock || used >= FAULTLINE_BLOCK_BYTES_MAX
    }

    @inlinable package mutating func beginRow(
        key: Int64, version: Int32, entity: Int, slotCount: Int
    ) {
        let nullBytes = FAULTLINE_WORD_SIZE * Int(faultline_null_word_count(Int64(slotCount)))
        let cellBytes = FAULTLINE_WORD_SIZE * slotCount
        assert(!isFull, "a row begins in a full block")
        let start = Int(faultline_whole_words(Int64(used)))
        cells = start + nullBytes + FAULTLINE_ROW_HEADER_SIZE
        reserve(cells + cellBytes)
        memset(bytes + start, 0xFF, nullBytes)
        // Traps if the builder is already full.
        let header = faultline_row_header(
            key: key, version: version, distance: UInt16(cells / FAULTLINE_WORD_SIZE), mark: 0,
            unused: 0)
        bytes.storeBytes(
            of: header, toByteOffset: cells - FAULTLINE_ROW_HEADER_SIZE,
            as: faultline_row_header.self)
        bytes.storeBytes(
            of: UInt16(truncatingIfNeeded: entity), toByteOffset: cells + FAULTLINE_ROW_ENTITY,
            as: UInt16.self)
        memset(bytes + cells, 0, cellBytes)
        used = cells + cellBytes
        offsets.append(Int32(truncatingIfNeeded: cells))
    }

    @inlinable package mutating func set(_ slot: Int, word: UInt64) {
        assert(
            slot >= 0 && cells + FAULTLINE_WORD_SIZE * (slot + 1) <= used,
            "the row has no such slot")
        bytes.storeBytes(
            of: word, toByteOffset: cells + FAULTLINE_WORD_SIZE * slot, as: UInt64.self)
        let nulls = cells + Int(faultline_null_word_offset(Int64(slot)))
        let bits = bytes.load(fromByteOffset: nulls, as: UInt64.self)
        bytes.storeBytes(
            of: bits & ~faultline_null_mask(Int64(slot)), toByteOffset: nulls, as: UInt64.self)
    }

    @inlinable package mutating func set(_ slot: Int, integer: Int64) {
        set(slot, word: UInt64(bitPattern: integer))
    }

    @inlinable package mutating func set(_ slot: Int, double: Double) {
        set(slot, word: double.bitPattern)
    }

    @inlinable package mutating func set(_ slot: Int, reference: ObjectKey) {
        set(slot, word: reference.packed)
    }

    @inlinable package mutating func set(_ slot: Int, bytes source: UnsafeRawBufferPointer) {
        reserve(used + source.count)
        if let start = source.baseAddress { memcpy(bytes + used, start, source.count) }
        set(slot, word: faultline_bytes_word(Int64(used - cells), Int64(source.count)))
        used += source.count
    }

    @inlinable package mutating func set(_ slot: Int, string: String) {
        let isSet: Void? = string.utf8.withContiguousStorageIfAvailable {
            set(slot, bytes: UnsafeRawBufferPointer($0))
        }
        if isSet != nil { return }
        var string = string
        string.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Sets a slot of the given kind. A value of another kind ends the process, because it would
    /// later be read beyond the row's memory.
    package mutating func set(_ slot: Int, value: Value, of kind: ValueKind) {
        guard value.fits(kind) else {
            trap("A value for a slot of the kind \(kind) has another kind.")
        }
        set(slot, value: value)
    }

    /// Sets a value that the caller has created for this slot.
    package mutating func set(_ slot: Int, value: Value) {
        switch value {
        case .null: break
        case .integer(let integer): set(slot, integer: integer)
        case .double(let double): set(slot, double: double)
        case .string(let string): set(slot, string: string)
        case .data(let data): data.withUnsafeBytes { set(slot, bytes: $0) }
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { set(slot, bytes: $0) }
        case .decimal(let decimal): set(slot, string: decimal.description)
        case .reference(let key): set(slot, reference: key)
        case .object: assertionFailure("a row contains an object instead of its bytes")
        }
    }

    /// Copies a value from another row of the same entity, without decoding it.
    package mutating func copy(_ slot: Int, of kind: ValueKind, from cells: UnsafeRawPointer) {
        if RowFormat.isNull(cells, slot: slot) { return }
        switch kind {
        case .string, .uri, .decimal, .uuid, .binary:
            set(slot, bytes: RowFormat.bytes(cells, slot: slot))
        default: set(slot, word: RowFormat.word(cells, slot: slot))
        }
    }

    /// Copies a whole row, under another key if one is given.
    package mutating func copyRow(
        _ cells: UnsafeRawPointer, of entity: EntityLayout, key: Int64? = nil
    ) {
        beginRow(
            key: key ?? RowFormat.key(cells), version: RowFormat.version(cells),
            entity: entity.index, slotCount: entity.values.count)
        for (slot, column) in entity.values.enumerated() {
            copy(slot, of: column.kind, from: cells)
        }
    }

    /// Returns the block with the rows, and empties the builder.
    package mutating func finish(generation: UInt64, timestamp: Double) -> RowBlock {
        assert(used <= capacity, "the rows are longer than their memory")
        let block = offsets.withUnsafeBufferPointer {
            RowBlock(
                copying: UnsafeRawBufferPointer(start: bytes, count: used), offsets: $0,
                generation: generation, timestamp: timestamp)
        }
        used = FAULTLINE_BLOCK_HEADER_SIZE
        offsets.removeAll(keepingCapacity: true)
        return block
    }

    @usableFromInline mutating func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        capacity = max(needed, capacity * 2)
        bytes = realloc(bytes, capacity)!  // Safe: as in init.
    }
}

/// One row of a block, kept alive.
@usableFromInline package struct RowReference: Sendable {
    package let block: RowBlock
    // Safe: the pointer refers to memory of `block`, which this value retains and which never
    // changes.
    package nonisolated(unsafe) let cells: UnsafeRawPointer

    package init(block: RowBlock, index: Int) {
        self.block = block
        cells = block.cells(at: index)
    }

    package init(block: RowBlock, cells: UnsafeRawPointer) {
        self.block = block
        self.cells = cells
    }
}
