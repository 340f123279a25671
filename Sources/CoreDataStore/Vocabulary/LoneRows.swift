import CRowFormat
import CRuntimeShims

/// Rows that are read one at a time, in blocks with room for several.
///
/// Owned by the short way of one context's faults and filled by the stores, on the context's queue.
/// Faults that fire one after the other would otherwise cost a block and its memory each. A row
/// that comes alone gets a block of its size; the more come at once, the more share the next.
///
/// A block lives as long as somebody has one of its rows, not because there is room left.
///
/// Promise: the row that was read is in the block that is held and ends within its room, and no row
/// takes the place of one that nobody has taken or let go of.
@usableFromInline package final class LoneRows {
    /// How many rows share a block at most.
    private static let rowsMax = RowBlockBuilder.rowsPerBlock
    /// Where rows are long, fewer share a block.
    private static let bytesMax = 1 << 16

    private let owner: any RowBlockOwner
    /// The block that has room left, not retained: it may die on any thread. Guarded by the lock
    /// of `owner`.
    @exclusivity(unchecked) private var open: Unmanaged<RowBlock>?

    /// The block of the row that is being read, retained.
    @usableFromInline @exclusivity(unchecked) package var held: Unmanaged<RowBlock>?
    /// The row that was read last, as long as nobody has taken it.
    @usableFromInline @exclusivity(unchecked) package var cells: UnsafeRawPointer?
    // Open to the invariants, and to the tests that break them.
    /// Of the newest block: bytes used, bytes there, how many rows there may be and are.
    @exclusivity(unchecked) package var used = 0
    @exclusivity(unchecked) var room = 0
    @exclusivity(unchecked) package var capacity = 0
    @exclusivity(unchecked) package var count = 0
    @exclusivity(unchecked) private var timestamp = 0.0

    /// - Parameter owner: the row cache that the rows go to.
    package init(owner: any RowBlockOwner) { self.owner = owner }

    // MARK: Filling, on the context's queue

    /// Takes a row that was packed elsewhere.
    ///
    /// - Parameters:
    ///   - row: from its null words on.
    ///   - offset: how far its cells are from there.
    package func append(
        _ row: UnsafeRawBufferPointer, cellsAt offset: Int, generation: UInt64, timestamp: Double
    ) {
        assert(cells == nil, "the last row was neither taken nor let go of")
        let size = Int(faultline_whole_words(Int64(row.count)))
        if !hasPlace(size, generation, timestamp) { begin(size, generation, timestamp) }
        assert(count < capacity && used + size <= room, "the block has no place for the row")
        assert(used % FAULTLINE_WORD_SIZE == 0, "a row must begin with a word")
        // Safe: there is a block now.
        cells = held.unsafelyUnwrapped._withUnsafeGuaranteedRef {
            $0.append(row, cellsAt: offset, to: used)
        }
        used += size
        count += 1
    }

    /// Takes a row whose block nobody else has yet.
    package func take(_ row: RowReference) {
        letGo()
        row.block.setOwner(self)
        held = .passRetained(row.block)
        cells = row.cells
        (capacity, count) = (0, 0)
    }

    /// Gives the row out, with a reference to its block.
    @inlinable package func takeCells() -> UnsafeRawPointer? {
        guard let taken = cells else { return nil }
        (cells, held) = (nil, nil)
        return taken
    }

    /// Forgets the row that was read, if there is one.
    @inlinable package func letGo() {
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

    /// Makes a block that has room for twice as many rows as the last one, if they came at once.
    private func begin(_ size: Int, _ generation: UInt64, _ timestamp: Double) {
        letGo()
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

    /// Retains the open block, unless nobody has its rows any more.
    @inline(__always)
    func holdOpenBlock() {
        assert(held == nil, "the reference to the last block would be lost")
        guard let open else { return }
        if faultline_try_retain(open.toOpaque()) { held = open } else { self.open = nil }
    }

    /// Remembers the block of the row that was read, if more can go into it.
    @inline(__always)
    func leaveOpen() {
        assert(count <= capacity, "the block has more rows than it has room for")
        open = count < capacity ? held : nil
    }

    /// Forgets a block that is going away.
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

// `@unchecked Sendable` because the queue of the context guards what is read and filled, and the
// owner's lock the open block.
extension LoneRows: @unchecked Sendable {}
