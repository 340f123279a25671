import CoreData

extension Notification.Name {
    static let rang = Notification.Name("rang")
    static let other = Notification.Name("other")
}

@objcMembers class Listener: NSObject {
    var heard: [String] = []
    let ownCenter = NotificationCenter()

    func listen() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(Listener.notified(notification:)), name: .rang,
            object: self)
        ownCenter.addObserver(self, selector: #selector(object(_:)), name: nil, object: nil)
        ownCenter.addObserver(
            self,
            selector: #selector(silent),  // without a notification
            name: .other, object: nil
        )
    }
    func notified(notification: Notification) { heard.append("notified") }
    private func object(_ notification: NSNotification) { heard.append("object") }
    fileprivate func silent() { heard.append("silent") }
    func stopAll() {
        NotificationCenter.default.removeObserver(self, name: .rang, object: self)
        ownCenter.removeObserver(self)
    }
    deinit { NotificationCenter.default.removeObserver(self) }
}

class ChildListener: Listener {
    override func notified(notification: Notification) { heard.append("child") }
}

enum Wiring {
    static func connect(_ listener: Listener, to center: NotificationCenter = .default) {
        center.addObserver(
            listener, selector: #selector(Listener.notified), name: .other, object: nil)
    }
}

class Ticker: NSObject {
    var ticks = 0
    var others = 0
    var timer: Timer?
    func start() {
        timer = Timer.scheduledTimer(
            timeInterval: 0.001, target: self, selector: #selector(tick(_:)), userInfo: nil,
            repeats: true)
    }
    func once() -> Timer {
        Timer(
            timeInterval: 0.001, target: self, selector: #selector(Ticker.plain), userInfo: nil,
            repeats: false)
    }
    @objc private func tick(_ timer: Timer) {
        ticks += 1
        if ticks == 2 { timer.invalidate() }
    }
    @objc func plain() { others += 1 }
}

class Performer: NSObject {
    var done: [String] = []
    @objc func act() { done.append("act") }
    @objc func say(_ text: String) -> String {
        done.append(text)
        return text
    }
    @objc func take(_ number: NSNumber?, _ text: String?) {
        done.append("\(number ?? 0)\(text ?? "-")")
    }
    func all(_ other: NSObject) {
        perform(#selector(act))
        self.perform(#selector(say(_:)), with: "hello")
        other.perform(#selector(Performer.take(_:_:)), with: 3, with: nil)
    }
    @objc func undo(_ text: String) { done.append("undo \(text)") }
    func change(with manager: UndoManager) {
        manager.registerUndo(withTarget: self, selector: #selector(undo(_:)), object: "change")
    }
}

final class Queue { func perform(_ work: String, with count: Int) -> Int { count } }

func checkMessages() {
    let listener = Listener()
    let child = ChildListener()
    listener.listen()
    child.listen()
    NotificationCenter.default.post(name: .rang, object: listener)
    expect("an observer of one object", [listener.heard.count, child.heard.count], [1, 0])
    NotificationCenter.default.post(name: .rang, object: child)
    expect("an override is told", child.heard, ["child"])
    listener.heard = []
    listener.ownCenter.post(name: .rang, object: nil)
    expect("an observer of every name", listener.heard, ["object"])
    listener.ownCenter.post(name: .other, object: nil)
    expect("one without a notification", listener.heard.sorted(), ["object", "object", "silent"])
    listener.stopAll()
    NotificationCenter.default.post(name: .rang, object: listener)
    listener.ownCenter.post(name: .rang, object: nil)
    expect("observers that were removed", listener.heard.count, 3)
    Wiring.connect(child)
    NotificationCenter.default.post(name: .other, object: nil)
    expect("an observer that is another object", child.heard, ["child", "child"])
    let ticker = Ticker()
    ticker.start()
    RunLoop.current.add(ticker.once(), forMode: .default)
    for _ in 0..<1_000 where ticker.ticks < 2 || ticker.others < 1 {
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.005))
    }
    expect("timers by selector", [ticker.ticks, ticker.others], [2, 1])
    expect("one that was invalidated", ticker.timer?.isValid, false)
    let performer = Performer()
    performer.all(performer)
    expect("perform", performer.done, ["act", "hello", "3-"])
    let manager = UndoManager()
    performer.change(with: manager)
    manager.undo()
    expect("registerUndo", performer.done.last, "undo change")
    expect("a perform of its own", Queue().perform("work", with: 4), 4)
}
