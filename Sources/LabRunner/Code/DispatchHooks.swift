import CWaitHooks
import CoreDataStore
import Foundation

/// Receives the work that code puts on Dispatch's queues. Passes it to the schedule of the calling
/// thread, or to the current run if it has no schedule.
enum DispatchHooks {
    typealias Work = @convention(c) (UnsafeMutableRawPointer?) -> Void
    typealias NumberedWork = @convention(c) (UnsafeMutableRawPointer?, Int) -> Void

    static let areInstalled: Void = {
        takeWork()
        faultline_take_timers { timer in
            guard let timer else { return }
            Unmanaged<Timer>.fromOpaque(timer).takeUnretainedValue().fire()
        }
    }()

    private static func takeWork() {
        faultline_take_work(
            faultline_work_taker(
                enqueue: { queue, kind, delay, work, context in
                    guard let queue, let work, let host = DispatchHooks.host else { return false }
                    return host.enqueue(
                        DispatchWork(queue: queue, kind: kind, work: work, context: context),
                        after: .nanoseconds(delay))
                },
                run: { queue, kind, work, context in
                    guard let queue, let work, let host = DispatchHooks.host else { return false }
                    return host.runAndWait(
                        DispatchWork(queue: queue, kind: kind, work: work, context: context))
                },
                notify: { group, queue, work, context in
                    guard let group, let host = DispatchHooks.host else { return false }
                    guard let queue, let work else {
                        host.noteLeft(group)
                        return true
                    }
                    return host.notify(
                        DispatchWork(
                            queue: queue, kind: FAULTLINE_ASYNC, work: work, context: context),
                        of: group)
                },
                apply: { queue, count, work, context in
                    guard let work, let host = DispatchHooks.host else { return false }
                    return host.apply(queue, count, work, context)
                }))
    }

    private static var host: (any DispatchHost)? {
        ConfinementScope.current?.owner() as? any DispatchHost
    }
}

/// A closure that is passed to a queue; `@unchecked Sendable` because only one thread at a time
/// uses it.
struct DispatchWork: @unchecked Sendable {
    let queue: UnsafeMutableRawPointer
    let kind: faultline_work_kind
    let work: DispatchHooks.Work
    let context: UnsafeMutableRawPointer?

    var isBarrier: Bool { kind == FAULTLINE_BARRIER || kind == FAULTLINE_SYNC_BARRIER }

    func run() { faultline_run_on(queue, work, context) }
}

/// Takes work in place of Dispatch. Each method returns false to leave the work to Dispatch.
protocol DispatchHost: AnyObject {
    func enqueue(_ work: DispatchWork, after delay: Duration) -> Bool
    func runAndWait(_ work: DispatchWork) -> Bool
    func notify(_ work: DispatchWork, of group: UnsafeMutableRawPointer) -> Bool
    func noteLeft(_ group: UnsafeMutableRawPointer)
    func apply(
        _ queue: UnsafeMutableRawPointer?, _ count: Int,
        _ work: @escaping DispatchHooks.NumberedWork, _ context: UnsafeMutableRawPointer?
    ) -> Bool
}
