import CRuntimeShims

/// The active calls of a thread.
struct CallStack {
    /// The address of each call, innermost first.
    let calls: [UInt]

    /// The active calls of the calling thread.
    ///
    /// The runtime's own `Backtrace` follows frames without a check of their addresses, and ends
    /// the process at an unmapped address.
    init() {
        calls = Array(unsafeUninitializedCapacity: 128) { buffer, count in
            count = faultline_call_stack(buffer.baseAddress, buffer.count)
        }
    }

    /// The active calls of another thread, by the system's number of the thread.
    init(ofThread number: Int32) {
        calls = Array(unsafeUninitializedCapacity: 128) { buffer, count in
            count = faultline_call_stack_of(number, buffer.baseAddress, buffer.count)
        }
    }
}
