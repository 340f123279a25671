import CRuntimeShims
import Testing

@testable import LabRunner

/// A simulated call stack. An array of words contains the frame records.
private struct FakeStack {
    private let words: UnsafeMutableBufferPointer<UInt>
    private static let isAsynchronous: UInt = 1 << 60

    init(count: Int) {
        words = .allocate(capacity: count)
        words.initialize(repeating: 0)
    }

    func free() { words.deallocate() }

    func address(_ index: Int) -> UInt { UInt(bitPattern: words.baseAddress! + index) }

    func frame(_ index: Int, caller: UInt, returns: UInt) {
        words[index] = caller
        words[index + 1] = returns
    }

    func asynchronous(_ index: Int, context: UInt) {
        words[index - 1] = context
        words[index] = Self.isAsynchronous
        words[index + 1] = 0x5000
    }

    func calls(from index: Int = 2, capacity: Int = 16) -> [UInt] {
        [UInt](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = faultline_walk_frames(
                address(index), address(words.count), buffer.baseAddress, capacity)
        }
    }
}

@Suite struct CallStackTests {
    private let stack = FakeStack(count: 32)

    @Test func `a chain of frames is followed to its end`() {
        defer { stack.free() }
        stack.frame(2, caller: stack.address(8), returns: 0x1001)
        stack.frame(8, caller: stack.address(30), returns: 0x2001)
        stack.frame(30, caller: 0, returns: 0x3001)
        #expect(stack.calls() == [0x1000, 0x2000, 0x3000])
        #expect(stack.calls(capacity: 2) == [0x1000, 0x2000])
        #expect(stack.calls(capacity: 0) == [])
    }

    /// A library without frame pointers may leave such values where the address of a frame record
    /// is expected.
    @Test(arguments: [
        0x7, 0xdead_beef, UInt.max >> 8, 0x7fff_ffff_fff8, UInt.max & ~(1 << 60),
        UInt.max & ~7 & ~(1 << 60),
    ])
    func `a chain ends at a value that is not a frame`(_ garbage: UInt) {
        defer { stack.free() }
        stack.frame(2, caller: stack.address(8), returns: 0x1001)
        stack.frame(8, caller: garbage, returns: 0x2001)
        #expect(stack.calls() == [0x1000, 0x2000])
    }

    @Test(arguments: [0, 2, 8, 9, 31, 32, 40])
    func `a chain ends if it does not lead outwards`(_ index: Int) {
        defer { stack.free() }
        stack.frame(2, caller: stack.address(8), returns: 0x1001)
        stack.frame(8, caller: stack.address(index), returns: 0x2001)
        #expect(stack.calls() == [0x1000, 0x2000])
    }

    @Test func `an asynchronous function continues with its context`() {
        defer { stack.free() }
        let heap = FakeStack(count: 4)
        defer { heap.free() }
        heap.frame(0, caller: heap.address(2), returns: 0x6000)
        heap.frame(2, caller: 0, returns: 0x7000)
        stack.frame(2, caller: stack.address(8), returns: 0x1001)
        stack.asynchronous(8, context: heap.address(0))
        #expect(stack.calls() == [0x1000, 0x6000, 0x7000])
    }

    @Test func `the contexts of asynchronous functions end at unreadable memory`() {
        defer { stack.free() }
        let heap = FakeStack(count: 2)
        defer { heap.free() }
        heap.frame(0, caller: 0x10, returns: 0x6000)
        stack.frame(2, caller: stack.address(8), returns: 0x1001)
        stack.asynchronous(8, context: heap.address(0))
        #expect(stack.calls() == [0x1000, 0x6000])
        stack.asynchronous(8, context: 0x10)
        #expect(stack.calls() == [0x1000])
    }

    @inline(never) private func inner() -> CallStack { CallStack() }

    @Test func `a thread is inside of the calls that it has made`() {
        defer { stack.free() }
        let (one, other) = (inner().calls, inner().calls)
        // Both frames return to this function, from two calls.
        #expect(one.count == other.count)
        #expect(zip(one, other).filter { $0 != $1 }.count == 1)
    }
}
