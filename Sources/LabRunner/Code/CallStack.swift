import CRuntimeShims

/// The calls that a thread was inside of.
struct CallStack {
    /// The address of each call, innermost first.
    let calls: [UInt]

    /// Those of the calling thread.
    ///
    /// The runtime's own `Backtrace` reads wherever the frames point to, and ends the process where
    /// nothing is.
    init() {
        calls = Array(unsafeUninitializedCapacity: 128) { buffer, count in
            count = faultline_call_stack(buffer.baseAddress, buffer.count)
        }
    }
}
