import CRuntimeShims

/// The active calls of a thread.
struct CallStack {
    /// The address of each call; the innermost call is first.
    let calls: [UInt]

    /// The active calls of the calling thread.
    ///
    /// The runtime's `Backtrace` is not used, because it crashes if a frame pointer refers to an
    /// unmapped address.
    init() {
        calls = Array(unsafeUninitializedCapacity: 128) { buffer, count in
            count = faultline_call_stack(buffer.baseAddress, buffer.count)
        }
    }

    init(ofThread number: Int32) {
        calls = Array(unsafeUninitializedCapacity: 128) { buffer, count in
            count = faultline_call_stack_of(number, buffer.baseAddress, buffer.count)
        }
    }
}
