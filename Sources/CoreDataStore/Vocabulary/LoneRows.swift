import CRowFormat
import CRuntimeShims

/// Rows that are read one at a time, in blocks with space for several.
///
/// Without this class, each fault that fires would allocate a block. The block of a single row has
/// the size of the row. If several rows are read in quick succession, each new block has space for
/// more rows than the previous one. A context owns the instance, and the stores fill it on the
/// context's queue.
///
/// A block exists as long as one of its rows is held. Free space does not keep it alive.
///
/// Invariant: the row that was read is in the held block and ends within the block's memory. It
/// must be taken or released before the next row is read.
@usableFromInline package final class LoneRows {
    private static let rowsMax = RowBlockBuilder.rowsPerBlock
    /// The maximum size of a block. If rows are long, fewer rows share a block.
    private static let bytesMax = 1 << 16

    private let owner: any RowBlockOwner
    /// The block with free space. It is not retained, and may be freed on any thread. The lock of
    /// `owner` guards it.
    @exclusivity(unchecked) private var open: Unmanaged<RowBlock>?

    /// The block of the row that is being read, retained.
    @usableFromInline @exclusivity(unchecked) package var held: Unmanaged<RowBlock>?
    /// The row that was read last, until it is taken.
    @usableFromInline @exclusivity(unchecked) package var cells: UnsafeRawPointer?
    // Not private, because the invariant checks read these fields, and tests damage them on
    // purpose.
    /// The state of the newest block: the used bytes, the size in bytes, the maximum number of
    /// rows, and the current number.
    @exclusivity(unchecked) package var used = 0
    @exclusivity(unchecked) var room = 0
    @exclusivity(unchecked) package var capacity = 0
    @exclusivity(unchecked) package var count = 0
    @exclusivity(unchecked) private var timestamp = 0.0

    package init(owner: any RowBlockOwner) { self.owner = owner }

    // MARK: Filling, on the context's queue

    /// Appends a row that was packed elsewhere.
    ///
    /// - Parameters:
    ///   - row: the row, beginning with its null words.
    ///   - offset: the offset of the row's cells.
    package func append(
        _ row: UnsafeRawBufferPointer, cellsAt offset: Int, generation: UInt64, timestamp: Double
    ) {
        assert(cells == nil, "the last row was neither taken nor released")
        let size = Int(faultline_whole_words(Int64(row.count)))
        if !hasPlace(size, generation, timestamp) { begin(size, generation, timestamp) }
        assert(count < capacity && used + size <= room, "the block has no space for the row")
        assert(used % FAULTLINE_WORD_SIZE == 0, "a row must begin at a word boundary")
        // Safe: the block exists now.
        cells = held.unsafelyUnwrapped._withUnsafeGuaranteedRef {
            $0.append(row, cellsAt: offset, to: used)
        }
        used += size
        count += 1
    }

    /// Takes over a row whose block no other code uses yet.
    package func take(_ row: RowReference) {
        dropRow()
        row.block.setOwner(self)
        held = .passRetained(row.block)
        cells = row.cells
        (capacity, count) = (0, 0)
    }

    /// Returns the row, with a reference to its block.
    @inlinable package func takeCells() -> UnsafeRawPointer? {
        guard let taken = cells else { return nil }
        (cells, held) = (nil, nil)
        return taken
    }

    @inlinable package func dropRow() {
        held?.release()
        (cells, held) = (nil, nil)
    }

    @inline(__always)
    private func hasPlace(_ size: Int, _ generation: UInt64, _ timestamp: Double) -> Bool {
        guard let held, count < capacity, used + size <= room else { return false }
        return held._withUnsafeGuaranteedRef {
            $0.generation == generation && $0.timestamp == timestamp
        }
    }

    /// Creates a block. If the rows of the last block were read in quick succession, the new block
    /// has space for twice as many.
    private func begin(_ size: Int, _ generation: UInt64, _ timestamp: Double) {
        dropRow()
        let isBurst = timestamp == self.timestamp && count > 0
        capacity = isBurst ? max(1, min(Self.rowsMax, 2 * count, Self.bytesMax / size)) : 1
        room = FAULTLINE_BLOCK_HEADER_SIZE + capacity * size
        let block = RowBlock(
            room: room, rows: capacity, generation: generation, timestamp: timestamp)
        block.setOwner(self)
        held = .passRetained(block)
        (used, count) = (FAULTLINE_BLOCK_HEADER_SIZE, 0)
        self.timestamp = timestamp
    }

    // MARK: Under the owner's lock

    /// Retains the open block if one of its rows is still held.
    @inline(__always)
    func holdOpenBlock() {
        assert(held == nil, "the last block is still held")
        guard let open else { return }
        if faultline_try_retain(open.toOpaque()) { held = open } else { self.open = nil }
    }

    /// Keeps the block open after a row was read, if the block has space for more rows.
    @inline(__always)
    func leaveOpen() {
        assert(count <= capacity, "the block has more rows than its capacity")
        open = count < capacity ? held : nil
    }

    package func forget(_ block: RowBlock) {
        if open?.toOpaque() == block.address { open = nil }
    }
}

extension LoneRows: RowBlockOwner {
    @usableFromInline package var cacheAddress: UnsafeMutableRawPointer { owner.cacheAddress }

    @usableFromInline package func blockWillDie(_ block: RowBlock, openIn rows: LoneRows?) {
        owner.blockWillDie(block, openIn: self)
    }
}

// `@unchecked Sendable` because the context's queue guards the fields about rows, and the lock of
// `owner` guards the open block.
extension LoneRows: @unchecked Sendable {}
