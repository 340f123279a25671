import Foundation

/// Reads jemalloc's allocation counts for this process. They exist only if jemalloc was preloaded.
///
/// A separate process counts allocations, because jemalloc changes the times.
struct AllocationCounter {
    /// The number of allocations, and their total size in bytes.
    struct Amount {
        var allocations = 0
        var bytes = 0

        static func - (left: Amount, right: Amount) -> Amount {
            Amount(
                allocations: left.allocations - right.allocations, bytes: left.bytes - right.bytes)
        }
    }

    static let library = "libjemalloc.so.2"
    /// jemalloc counts only allocations that reach an arena, so thread caches are off.
    static let environment = ["LD_PRELOAD": library, "MALLOC_CONF": "tcache:false"]

    /// The note in a report without allocation counts.
    static let absence =
        "Allocations were not counted: \(library) cannot be loaded; install libjemalloc-dev."

    private typealias Control =
        @convention(c) (
            UnsafePointer<CChar>, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>?,
            UnsafeMutableRawPointer?, Int
        ) -> CInt

    /// One of jemalloc's size classes, and the name of its counter.
    private struct SizeClass {
        let bytes: Int
        let count: String
    }

    private let control: Control
    private var classes: [SizeClass] = []

    /// Returns nil if jemalloc is not the allocator of this process.
    init?() {
        guard let symbol = dlsym(nil, "mallctl") else { return nil }
        // Safe: jemalloc documents the function under this name with this type.
        control = unsafeBitCast(symbol, to: Control.self)
        for (sizes, counts, number) in [
            ("bin", "bins", "nbins"), ("lextent", "lextents", "nlextents"),
        ] {
            let total = read("arenas.\(number)", as: CUnsignedInt.self)
            for index in 0..<Int(total) {
                classes.append(
                    SizeClass(
                        bytes: read("arenas.\(sizes).\(index).size", as: Int.self),
                        count: "stats.arenas.\(Self.allArenas).\(counts).\(index).nmalloc"))
            }
        }
    }

    /// The total since the process started. Reading it does not allocate memory.
    func total() -> Amount {
        // Writing to `epoch` refreshes the statistics.
        var epoch: UInt64 = 1
        _ = control("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size)
        var amount = Amount()
        for each in classes {
            let count = Int(clamping: read(each.count, as: UInt64.self))
            amount.allocations += count
            amount.bytes += count * each.bytes
        }
        return amount
    }

    /// The index for all of jemalloc's arenas together.
    private static let allArenas = 4_096

    private func read<Number: FixedWidthInteger>(_ name: String, as type: Number.Type) -> Number {
        var value: Number = 0
        var size = MemoryLayout<Number>.size
        guard control(name, &value, &size, nil, 0) == 0 else { return 0 }
        return value
    }
}
