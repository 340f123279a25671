import Foundation
import Testing

@testable import CoreDataStore

/// Tests of the replacements for target-action timers and for `@NSCopying`.
@Suite struct SelectorTimerTests {
    private final class Target {
        var told: [String] = []
        func tick(_ timer: Timer) { told.append("tick") }
        func plain() { told.append("plain") }
    }

    private struct Copier {
        @CopiedWhenSet var text = NSMutableString(string: "first")
        @CopiedWhenSet var list: NSArray?
        @CopiedWhenSet var number = 1
    }

    @Test func `a timer calls its target's method, with or without itself as argument`() {
        let target = Target()
        let timers = [
            Timer(
                timeInterval: 1_000, target: target, calling: { $0.tick(_:) }, userInfo: nil,
                repeats: false),
            Timer(
                timeInterval: 1_000, target: target, calling: { $0.plain }, userInfo: "kept",
                repeats: true),
            Timer.scheduledTimer(
                timeInterval: 1_000, target: target, calling: { $0.tick }, userInfo: nil,
                repeats: true),
            Timer.scheduledTimer(
                timeInterval: 1_000, target: target, calling: { $0.plain }, userInfo: nil,
                repeats: false),
        ]
        let date = Date(timeIntervalSinceReferenceDate: 2_000_000_000)
        let dated = Timer(
            fireAt: date, interval: 1_000, target: target, calling: { $0.plain },
            userInfo: nil, repeats: true)
        #expect(abs(dated.fireDate.timeIntervalSince(date)) < 1)
        for timer in timers { timer.fire() }
        #expect(target.told == ["tick", "plain", "tick", "plain"])
        dated.fire()
        dated.invalidate()
        #expect(target.told.count == 5)
        #expect(timers.map(\.isValid) == [false, true, true, false])
        for timer in timers { timer.invalidate() }
    }

    @Test func `a timer retains its target`() {
        var target: Target? = Target()
        weak let seen = target
        let timer = Timer(
            timeInterval: 1_000, target: Target(), calling: { $0.plain }, userInfo: target,
            repeats: true)
        target = nil
        withExtendedLifetime(timer) { #expect(seen != nil) }
        timer.invalidate()
    }

    @Test func `a copying property keeps the content at the time of the assignment`() {
        var copier = Copier()
        let text = NSMutableString(string: "a")
        copier.text = text
        text.append("b")
        #expect(copier.text == NSMutableString(string: "a"))
        let list = NSMutableArray(array: [1])
        copier.list = list
        list.add(2)
        #expect(copier.list?.count == 1)
        copier.list = nil
        #expect(copier.list == nil)
        copier.number = 2
        #expect(copier.number == 2)
    }

    @Test func `the body of an autorelease pool runs, and its error is thrown`() throws {
        #expect(autoreleasepool { 3 } == 3)
        #expect(throws: CocoaError.self) {
            try autoreleasepool { throw CocoaError(.fileNoSuchFile) }
        }
    }
}
