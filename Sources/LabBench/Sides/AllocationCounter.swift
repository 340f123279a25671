import Foundation

/// jemalloc's counts of allocations in this process, if jemalloc was preloaded.
///
/// Allocations are counted in a separate process, because another allocator changes times.
struct AllocationCounter {
    /// The number and the bytes of allocations.
    struct Amount {
        var allocations = 0
        var bytes = 0

        static func - (left: Amount, right: Amount) -> Amount {
            Amount(
                allocations: left.allocations - right.allocations, bytes: left.bytes - right.bytes)
        }
    }

    /// The library to preload into a counting process.
    static let library = "libjemalloc.so.2"
    /// Thread caches are off, so that every allocation reaches an arena, which counts it.
    static let environment = ["LD_PRELOAD": library, "MALLOC_CONF": "tcache:false"]

    /// The note in a report that lacks allocation counts.
    static let absence =
        "Allocations were not counted: \(library) cannot be loaded; install libjemalloc-dev."

    private typealias Control =
        @convention(c) (
            UnsafePointer<CChar>, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>?,
            UnsafeMutableRawPointer?, Int
        ) -> CInt

    /// A size to which allocations are rounded up, and the name of its count.
    private struct SizeClass {
        let bytes: Int
        let count: String
    }

    private let control: Control
    private var classes: [SizeClass] = []

    /// Nil if jemalloc is not this process's allocator.
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

    /// The total since the process started. Reading it allocates nothing.
    func total() -> Amount {
        // Writing any value to `epoch` refreshes the statistics.
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

    /// jemalloc's number for all arenas together.
    private static let allArenas = 4_096

    private func read<Number: FixedWidthInteger>(_ name: String, as type: Number.Type) -> Number {
        var value: Number = 0
        var size = MemoryLayout<Number>.size
        guard control(name, &value, &size, nil, 0) == 0 else { return 0 }
        return value
    }
}
