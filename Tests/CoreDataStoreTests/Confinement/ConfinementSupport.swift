import CRuntimeShims
import CoreDataTrace
import Dispatch
import TestSupport

enum ThreadName {
    static var current: UInt { faultline_thread_id() }
}

/// Runs code on a thread that is neither the main thread nor a thread of Swift's pool.
enum Background {
    static func run(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                work()
                continuation.resume()
            }
        }
    }
}

final class TextSink: EventSink {
    private let log = Log()

    var lines: [String] { log.lines }

    func record(_ event: Event) {
        switch event {
        case .enqueue(let queue, let label): log.add("enqueue \(label) on \(queue)")
        case .acquire(let resource): log.add("acquire \(resource)")
        case .release(let resource): log.add("release \(resource)")
        default: break
        }
    }
}
