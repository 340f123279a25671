import CoreData
import Foundation
import LabRunner

/// Forms of concurrent code that start work from a run loop, an event source or a thread.
extension Way {
    static let runLoops: [Way] = [
        .starting("Timer on the run loop of the session") { _ in
            { section in
                let timer = Timer(timeInterval: 0.001, repeats: false) { _ in section() }
                RunLoop.current.add(timer, forMode: .default)
                while timer.isValid {
                    _ = RunLoop.current.run(mode: .default, before: .distantFuture)
                }
            }
        },
        .starting("RunLoop.perform on the run loop of the session") { _ in
            { section in
                RunLoop.current.perform { section() }
                _ = RunLoop.current.run(mode: .default, before: .distantPast)
            }
        },
        .starting("Timer on the main run loop", isForOne: true) { _ in
            { section in
                let timer = Timer(timeInterval: 0.001, repeats: false) { _ in section() }
                RunLoop.main.add(timer, forMode: .common)
            }
        },
        .starting("RunLoop.perform on the main run loop", isForOne: true) { _ in
            { section in RunLoop.main.perform { section() } }
        },
    ]

    /// Forms whose work runs on threads that the lab did not create.
    static let foreign: [Way] = [
        .starting("DispatchSource, a timer") { _ in
            { section in
                let source = DispatchSource.makeTimerSource(queue: .global())
                source.schedule(deadline: .now() + 0.001)
                source.setEventHandler {
                    section()
                    source.cancel()
                }
                source.activate()
            }
        },
        .starting("DispatchSource, added data") { _ in
            { section in
                let source = DispatchSource.makeUserDataAddSource(queue: .global())
                source.setEventHandler {
                    section()
                    source.cancel()
                }
                source.activate()
                source.add(data: 1)
            }
        },
        .starting("Thread") { _ in { section in Thread { section() }.start() } },
        .starting("Thread, waited for by a semaphore") { _ in
            { section in
                let isDone = DispatchSemaphore(value: 0)
                Thread {
                    section()
                    isDone.signal()
                }.start()
                isDone.wait()
            }
        },
    ]
}
