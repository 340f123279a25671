import Foundation

/// Timers that call a method of their target, like those with `selector:` on platforms with
/// selectors. They keep the target alive until they are invalidated.
extension Timer {
    /// Creates a timer on the current run loop that calls the target's method.
    ///
    /// - Parameters:
    ///   - target: the object whose method is called.
    ///   - method: the method, as the expression `Type.method(_:)`.
    ///   - userInfo: kept alive by the timer; this platform's timer does not expose it
    public static func scheduledTimer<T: AnyObject>(
        timeInterval: TimeInterval, target: T, calling method: @escaping (T) -> (Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        let call = TimerCall(target, userInfo) { method($0)($1) }
        return scheduledTimer(withTimeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Creates a timer on the current run loop that calls a method without parameters.
    @_disfavoredOverload
    public static func scheduledTimer<T: AnyObject>(
        timeInterval: TimeInterval, target: T, calling method: @escaping (T) -> () -> Void,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        let call = TimerCall(target, userInfo) { target, _ in method(target)() }
        return scheduledTimer(withTimeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Creates a timer on the current run loop that calls a method which the main actor runs.
    public static func scheduledTimer<T: AnyObject>(
        timeInterval: TimeInterval, target: T,
        callingOnMainActor method: @escaping @MainActor (T, Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        let call = TimerCall(target, userInfo) { MainActorCall.run($0, $1, method) }
        return scheduledTimer(withTimeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Creates a timer that calls a method on the main actor. The caller adds it to a run loop.
    public convenience init<T: AnyObject>(
        timeInterval: TimeInterval, target: T,
        callingOnMainActor method: @escaping @MainActor (T, Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { MainActorCall.run($0, $1, method) }
        self.init(timeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Creates a timer that calls the target's method. The caller adds it to a run loop.
    public convenience init<T: AnyObject>(
        timeInterval: TimeInterval, target: T, calling method: @escaping (T) -> (Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { method($0)($1) }
        self.init(timeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Creates a timer that calls a method without parameters. The caller adds it to a run loop.
    @_disfavoredOverload
    public convenience init<T: AnyObject>(
        timeInterval: TimeInterval, target: T, calling method: @escaping (T) -> () -> Void,
        userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { target, _ in method(target)() }
        self.init(timeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Creates a timer that first calls the target's method at a date. The caller adds it to a run
    /// loop.
    public convenience init<T: AnyObject>(
        fireAt date: Date, interval: TimeInterval, target: T,
        calling method: @escaping (T) -> (Timer) -> Void, userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { method($0)($1) }
        self.init(fire: date, interval: interval, repeats: repeats) { call.run($0) }
    }

    /// Creates a timer that first calls a method without parameters at a date. The caller adds it
    /// to a run loop.
    @_disfavoredOverload
    public convenience init<T: AnyObject>(
        fireAt date: Date, interval: TimeInterval, target: T,
        calling method: @escaping (T) -> () -> Void, userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { target, _ in method(target)() }
        self.init(fire: date, interval: interval, repeats: repeats) { call.run($0) }
    }

    /// Creates a timer that first calls a method on the main actor at a date. The caller adds it to
    /// a run loop.
    public convenience init<T: AnyObject>(
        fireAt date: Date, interval: TimeInterval, target: T,
        callingOnMainActor method: @escaping @MainActor (T, Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { MainActorCall.run($0, $1, method) }
        self.init(fire: date, interval: interval, repeats: repeats) { call.run($0) }
    }
}

// `@unchecked Sendable` because a timer only runs on the thread of its run loop.
private final class TimerCall: @unchecked Sendable {
    let run: (Timer) -> Void
    /// Retained as long as the timer, as on Apple's systems.
    private let userInfo: Any?

    init<T: AnyObject>(_ target: T, _ userInfo: Any?, _ body: @escaping (T, Timer) -> Void) {
        self.userInfo = userInfo
        run = { body(target, $0) }
    }
}
