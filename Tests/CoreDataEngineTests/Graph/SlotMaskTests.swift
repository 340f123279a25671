import CoreDataEngine
import Testing

/// Slot masks. Some are of entities that have more slots than a word has bits.
@Suite struct SlotMaskTests {
    private func slots(_ mask: SlotMask) -> [Int] {
        var slots: [Int] = []
        mask.forEach { slots.append($0) }
        return slots
    }

    @Test func `slots beyond the first words are kept in order, each once`() {
        var mask = SlotMask([200, 3, 64, 70])
        mask.insert(70)
        #expect(slots(mask) == [3, 64, 70, 200])
        #expect(mask.contains(200) && !mask.contains(199) && !mask.contains(1_000))
    }

    @Test func `a mask is empty after its last slot was removed, in any word`() {
        var mask = SlotMask([130])
        #expect(!mask.isEmpty)
        mask.remove(300)
        mask.remove(130)
        #expect(mask.isEmpty && slots(mask).isEmpty)
    }
}
