import CWaitHooks
import CoreDataStore

/// The work that a test enqueues on Dispatch's queues in a run on real threads. The threads that
/// run this work count as threads of the test, because a schedule could control them.
extension LiveRun: DispatchHost {
    /// A piece of work, and the run to which it belongs.
    private final class Carried: Sendable {
        let run: LiveRun
        let work: @Sendable () -> Void

        init(_ run: LiveRun, _ work: @escaping @Sendable () -> Void) {
            self.run = run
            self.work = work
        }

        /// The context pointer that Dispatch passes to ``perform(_:)``.
        var context: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

        static func perform(_ context: UnsafeMutableRawPointer?) {
            guard let context else { return }
            let carried = Unmanaged<Carried>.fromOpaque(context).takeRetainedValue()
            carried.run.scope.run { carried.work() }
            carried.run.leave()
        }
    }

    private func carried(_ work: DispatchWork) -> UnsafeMutableRawPointer {
        enter()
        return Carried(self) { work.run() }.context
    }

    func runInPool(_ work: @escaping @Sendable () -> Void) {
        enter()
        faultline_run_in_pool({ Carried.perform($0) }, Carried(self, work).context)
    }

    func enqueue(_ work: DispatchWork, after delay: Duration) -> Bool {
        noteBranch()
        faultline_enqueue_really(
            work.queue, work.kind, Int64(delay / .nanoseconds(1)),
            { Carried.perform($0) }, carried(work))
        return true
    }

    func runAndWait(_ work: DispatchWork) -> Bool {
        faultline_run_really(work.queue, work.kind, { Carried.perform($0) }, carried(work))
        return true
    }

    func notify(_ work: DispatchWork, of group: UnsafeMutableRawPointer) -> Bool {
        noteBranch()
        faultline_notify_really(group, work.queue, { Carried.perform($0) }, carried(work))
        return true
    }

    func noteLeft(_ group: UnsafeMutableRawPointer) {}

    func apply(
        _ queue: UnsafeMutableRawPointer?, _ count: Int,
        _ work: @escaping DispatchHooks.NumberedWork, _ context: UnsafeMutableRawPointer?
    ) -> Bool {
        noteBranch()
        // `faultline_apply_really` returns only after all calls that use this value.
        var call = NumberedCall(run: self, work: work, context: context)
        withUnsafeMutablePointer(to: &call) { call in
            faultline_apply_really(
                queue, count,
                { call, number in
                    guard let call = call?.assumingMemoryBound(to: NumberedCall.self).pointee else {
                        return
                    }
                    call.run.scope.run { () throws(Never) in call.work(call.context, number) }
                }, call)
        }
        return true
    }

    private struct NumberedCall {
        let run: LiveRun
        let work: DispatchHooks.NumberedWork
        let context: UnsafeMutableRawPointer?
    }
}
