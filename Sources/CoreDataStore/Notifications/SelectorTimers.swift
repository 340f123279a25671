import Foundation

/// Timers that call a method of their target, as those with `selector:` do where methods have
/// selectors. They keep the target until they are invalidated.
extension Timer {
    /// Makes a timer of the current run loop that calls the target's method.
    ///
    /// - Parameters:
    ///   - target: the object whose method is called.
    ///   - method: the method, as `Type.method(_:)` gives it.
    ///   - userInfo: kept as long as the timer. The timer of this platform does not tell it.
    public static func scheduledTimer<T: AnyObject>(
        timeInterval: TimeInterval, target: T, calling method: @escaping (T) -> (Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        let call = TimerCall(target, userInfo) { method($0)($1) }
        return scheduledTimer(withTimeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Makes a timer of the current run loop that calls a method which takes nothing.
    @_disfavoredOverload
    public static func scheduledTimer<T: AnyObject>(
        timeInterval: TimeInterval, target: T, calling method: @escaping (T) -> () -> Void,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        let call = TimerCall(target, userInfo) { target, _ in method(target)() }
        return scheduledTimer(withTimeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Makes a timer of the current run loop that calls a method which the main actor runs.
    public static func scheduledTimer<T: AnyObject>(
        timeInterval: TimeInterval, target: T,
        callingOnMainActor method: @escaping @MainActor (T, Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        let call = TimerCall(target, userInfo) { MainActorCall.run($0, $1, method) }
        return scheduledTimer(withTimeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Makes a timer, to be added to a run loop, that calls a method which the main actor runs.
    public convenience init<T: AnyObject>(
        timeInterval: TimeInterval, target: T,
        callingOnMainActor method: @escaping @MainActor (T, Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { MainActorCall.run($0, $1, method) }
        self.init(timeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Makes a timer, to be added to a run loop, that calls the target's method.
    public convenience init<T: AnyObject>(
        timeInterval: TimeInterval, target: T, calling method: @escaping (T) -> (Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { method($0)($1) }
        self.init(timeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Makes a timer, to be added to a run loop, that calls a method which takes nothing.
    @_disfavoredOverload
    public convenience init<T: AnyObject>(
        timeInterval: TimeInterval, target: T, calling method: @escaping (T) -> () -> Void,
        userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { target, _ in method(target)() }
        self.init(timeInterval: timeInterval, repeats: repeats) { call.run($0) }
    }

    /// Makes a timer, to be added to a run loop, that first calls the target's method at a date.
    public convenience init<T: AnyObject>(
        fireAt date: Date, interval: TimeInterval, target: T,
        calling method: @escaping (T) -> (Timer) -> Void, userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { method($0)($1) }
        self.init(fire: date, interval: interval, repeats: repeats) { call.run($0) }
    }

    /// Makes a timer, to be added to a run loop, that first calls a method which takes nothing at
    /// a date.
    @_disfavoredOverload
    public convenience init<T: AnyObject>(
        fireAt date: Date, interval: TimeInterval, target: T,
        calling method: @escaping (T) -> () -> Void, userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { target, _ in method(target)() }
        self.init(fire: date, interval: interval, repeats: repeats) { call.run($0) }
    }

    /// Makes a timer, to be added to a run loop, that first calls a method at a date which the
    /// main actor runs.
    public convenience init<T: AnyObject>(
        fireAt date: Date, interval: TimeInterval, target: T,
        callingOnMainActor method: @escaping @MainActor (T, Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) {
        let call = TimerCall(target, userInfo) { MainActorCall.run($0, $1, method) }
        self.init(fire: date, interval: interval, repeats: repeats) { call.run($0) }
    }
}

/// What a timer calls.
// `@unchecked Sendable` because a timer runs on the thread of its run loop alone.
private final class TimerCall: @unchecked Sendable {
    let run: (Timer) -> Void
    /// Kept as long as the timer, as there.
    private let userInfo: Any?

    init<T: AnyObject>(_ target: T, _ userInfo: Any?, _ body: @escaping (T, Timer) -> Void) {
        self.userInfo = userInfo
        run = { body(target, $0) }
    }
}
