import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Testing

/// Observation of keys: registration, options, and removal.
@Suite struct ObservingTests {
    private func onContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = try Press.stack().context()
        try context.on { try body(context) }
    }

    // Proves S1.8-17
    @Test func `a closure receives old and new values, by accessor and by key`() throws {
        try onContext { context in
            let volume = context.volume("A")
            var seen: [String] = []
            let token = volume.observe(\.title, options: [.old, .new]) { object, change in
                #expect(object === volume && change.kind == .setting && !change.isPrior)
                let (old, new) = (change.oldValue ?? nil, change.newValue ?? nil)
                seen.append("\(old ?? "nil")>\(new ?? "nil")")
            }
            volume.title = "B"
            volume.setValue(nil, forKey: "title")
            volume["title"] = "C"
            #expect(seen == ["A>B", "B>nil", "nil>C"])
            token.invalidate()
            volume.title = "D"
            #expect(seen.count == 3)
        }
    }

    @Test func `values are passed only if requested`() throws {
        try onContext { context in
            let volume = context.volume("A", 1)
            var changes: [NSKeyValueObservedChange<Int64>] = []
            let token = volume.observe(\.pages) { changes.append($1) }
            volume.pages = 2
            #expect(changes.count == 1)
            #expect(changes[0].newValue == nil && changes[0].oldValue == nil)
            token.invalidate()
        }
    }

    @Test func `initial is sent immediately, prior before the change`() throws {
        try onContext { context in
            let volume = context.volume("A")
            var seen: [String] = []
            let token = volume.observe(\.title, options: [.initial, .prior, .old, .new]) {
                let (old, new) = ($1.oldValue ?? nil, $1.newValue ?? nil)
                seen.append("\($1.isPrior) \(old ?? "-") \(new ?? "-") \($0.title ?? "-")")
            }
            #expect(seen == ["false - A A"])
            volume.title = "B"
            #expect(seen.dropFirst() == ["true A - A", "false A B B"])
            token.invalidate()
        }
    }

    @Test func `an observation ends with its token and with the object`() throws {
        try onContext { context in
            let volume = context.volume("A")
            var count = 0
            var token: NSKeyValueObservation? = volume.observe(\.title) { _, _ in count += 1 }
            volume.title = "B"
            token = nil
            volume.title = "C"
            #expect(count == 1 && token == nil)
            weak var weakObject: NSManagedObject?
            do {
                let entity = volume.entity
                let loose = Volume(entity: entity, insertInto: nil)
                weakObject = loose
                token = loose.observe(\.title) { _, _ in count += 1 }
                loose.title = "X"
                #expect(count == 2)
            }
            #expect(weakObject == nil)
            token?.invalidate()
        }
    }

    @Test func `an observer receives a dictionary until it is removed`() throws {
        try onContext { context in
            let volume = context.volume("A")
            let log = ChangeLog()
            volume.log("title", to: log, [.initial, .prior, .old, .new])
            #expect(log.take() == ["title set new=A"])
            volume.title = nil
            #expect(log.take() == ["title prior set old=A", "title set old=A new=nil"])
            volume.removeObserver(log, forKeyPath: "title")
            volume.title = "C"
            #expect(log.take().isEmpty)
        }
    }

    @Test func `the context pointer of the registration selects the one that is removed`() throws {
        try onContext { context in
            let volume = context.volume("A")
            let log = ChangeLog()
            let place = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
            defer { place.deallocate() }
            volume.addObserver(log, forKeyPath: "title", options: .new, context: nil)
            volume.addObserver(log, forKeyPath: "title", options: .old, context: place)
            volume.removeObserver(log, forKeyPath: "title", context: place)
            volume.title = "B"
            #expect(log.take() == ["title set new=B"])
        }
    }

    @Test func `an observer may be removed, and may be released, in its own callback`() throws {
        try onContext { context in
            let volume = context.volume("A")
            let (first, second) = (ChangeLog(), ChangeLog())
            volume.log("title", to: first)
            volume.log("title", to: second)
            first.onChange = {
                volume.removeObserver($0, forKeyPath: "title")
                volume.removeObserver(second, forKeyPath: "title")
            }
            volume.title = "B"
            volume.title = "C"
            #expect(first.lines.count == 1 && second.lines.isEmpty)
            do {
                let short = ChangeLog()
                volume.log("title", to: short)
            }
            volume.title = "D"
            #expect(volume.title == "D")
        }
    }

    @Test func `a token may be invalidated in its own callback`() throws {
        try onContext { context in
            let volume = context.volume("A")
            var count = 0
            var token: NSKeyValueObservation?
            token = volume.observe(\.title) { _, _ in
                count += 1
                token?.invalidate()
                token = nil
            }
            volume.title = "B"
            volume.title = "C"
            #expect(count == 1)
        }
    }

    @Test func `a change within a callback is reported as well`() throws {
        try onContext { context in
            let volume = context.volume("A", 1)
            let log = ChangeLog()
            volume.log("title", "pages", to: log)
            log.onChange = { _ in if volume.pages < 3 { volume.pages += 1 } }
            volume.title = "B"
            #expect(
                log.take() == [
                    "title set old=A new=B", "pages set old=1 new=2", "pages set old=2 new=3",
                ])
        }
    }

    @Test func `a handwritten accessor reports once, a primitive value not at all`() throws {
        try onContext { context in
            let writer = context.writer("Ann")
            let log = ChangeLog()
            writer.log("nickname", "mood", to: log)
            writer.nickname = "N"
            #expect(log.take() == ["nickname set old=- new=N"])
            writer.setValue("M", forKey: "nickname")
            #expect(log.take() == ["nickname set old=N new=M"])
            writer.setPrimitiveValue("L", forKey: "nickname")
            #expect(log.take().isEmpty)
            // The property is not in the model. Key-value coding reports its changes, but its
            // setter does not.
            writer.setValue(5, forKey: "mood")
            writer.mood = 6
            #expect(log.take() == ["mood set old=1 new=5"])
            writer.willChangeValue(forKey: "mood")
            writer.mood = 7
            writer.didChangeValue(forKey: "mood")
            #expect(log.take() == ["mood set old=6 new=7"])
        }
    }

    @Test func `key-value coding reports only unmodelled keys by itself`() throws {
        try onContext { context in
            _ = context.writer()
            #expect(!Writer.automaticallyNotifiesObservers(forKey: "first"))
            #expect(!Writer.automaticallyNotifiesObservers(forKey: "volumes"))
            #expect(Writer.automaticallyNotifiesObservers(forKey: "mood"))
        }
    }

    @Test func `an object without observers is in no table`() throws {
        try onContext { context in
            let (one, other) = (context.volume("A"), context.volume("B"))
            let token = one.observe(\.title) { _, _ in }
            #expect(one.state.contains(.observed) && !other.state.contains(.observed))
            token.invalidate()
        }
    }

    @Test func `a token may be invalidated on another thread`() throws {
        try onContext { context in
            let volume = context.volume("A", by: context.writer("Ann"))
            var count = 0
            for _ in 0..<200 {
                let token = volume.observe(\.writer?.first) { _, _ in count += 1 }
                let done = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    token.invalidate()
                    done.signal()
                }
                volume.title = "B"
                done.wait()
            }
            count = 0
            volume.writer?.first = "Bob"
            #expect(count == 0)
        }
    }
}
