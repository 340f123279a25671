import Testing

@testable import CoreDataPredicate

@Suite struct DepthTests {
    /// Runs work on a thread with the smallest stack that programs use.
    private func onSmallStack(_ work: @escaping @Sendable () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            // The thread sanitizer's frames are several times as large.
            thread.stackSize = dlsym(nil, "__tsan_init") == nil ? 1 << 20 : 1 << 23
            thread.start()
        }
    }

    @Test func `the deepest format that parses also prints and evaluates on a small stack`() async {
        let depth = FormatParser.depthMax - 2
        let open = String(repeating: "NOT (a == 2 OR ", count: depth / 2)
        let format = open + "a == 1" + String(repeating: ")", count: depth / 2)
        let sum =
            "a == " + Array(repeating: "0", count: FormatParser.chainMax - 1).joined(separator: "+")
        let isFine = await onSmallStack {
            guard let nested = try? NSPredicate.parse(format),
                let chain = try? NSPredicate.parse(sum)
            else { return false }
            return nested.predicateFormat.hasPrefix("NOT (a == 2 OR NOT")
                && (try? nested.evaluateCore(with: ["a": 1])) != nil
                && (try? chain.evaluateCore(with: ["a": 0])) == true
                && chain.predicateFormat.hasPrefix("a == 0 + 0 + 0")
                && chain.mappingConstants { $0 } == chain
        }
        #expect(isFine)
    }
}
