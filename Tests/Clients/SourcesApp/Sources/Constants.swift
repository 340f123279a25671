import CoreData

extension Selector {
    fileprivate static let tuned = #selector(Radio.tuned(_:))
}
private let globalSelector = #selector(Radio.silent)

class Radio: NSObject {
    static let ownSelector = #selector(tuned(_:))
    var heard: [String] = []
    var center = NotificationCenter()
    var last: Selector?
    weak var delegate: NSFetchedResultsControllerDelegate?
    func start() {
        center.addObserver(self, selector: .tuned, name: .rang, object: nil)
        center.addObserver(self, selector: globalSelector, name: .rang, object: nil)
        center.addObserver(self, selector: Radio.ownSelector, name: .rang, object: nil)
        let local = #selector(local(_:))
        center.addObserver(self, selector: local, name: .rang, object: nil)
        last = local
    }
    func timer() -> Timer {
        Timer(
            fireAt: .distantFuture, interval: 5, target: self, selector: .tick, userInfo: nil,
            repeats: false)
    }
    func matches(_ action: Selector) -> Bool {
        switch action {
        case #selector(tuned(_:)), #selector(Radio.silent): return true
        default: return false
        }
    }
    func pass(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        delegate?.controllerDidChangeContent?(controller)
    }
    @objc fileprivate func tuned(_ note: Notification) { heard.append("tuned") }
    @objc func silent() { heard.append("silent") }
    @objc private func local(_ note: Notification) { heard.append("local") }
    @objc fileprivate func tick(_ timer: Timer) { heard.append("tick") }
    @objc func lazily(_ text: @autoclosure () -> String, then: (String) throws -> Int) rethrows
        -> Int
    {
        try then("radio")
    }
}
extension Selector { fileprivate static let tick = #selector(Radio.tick(_:)) }

class SmallRadio: Radio {}
extension SmallRadio {
    override func lazily(_ text: @autoclosure () -> String, then: (String) throws -> Int) rethrows
        -> Int
    {
        try then(text())
    }
}

final class RadioNotes: NSObject, NSFetchedResultsControllerDelegate {
    var changes = 0
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>
    ) { changes += 1 }
}

func checkConstants() {
    let radio = Radio()
    radio.start()
    radio.center.post(name: .rang, object: nil)
    expect("constants of selectors", radio.heard.sorted(), ["local", "silent", "tuned", "tuned"])
    radio.timer().fire()
    expect("a constant of a body", radio.last?.description, "local:")
    expect("a timer by a constant", radio.heard.last, "tick")
    expect("a selector in a pattern", radio.matches(Radio.ownSelector), true)
    expect("one that fits none", radio.matches(.tick), false)
    let small: Radio = SmallRadio()
    expect("an autoclosure, passed on", small.lazily("ab", then: \.count), 2)
    let context = stack([entity("Person", [attribute("last", .stringAttributeType)])])
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "last", ascending: true)]
    let notes = RadioNotes()
    radio.delegate = notes
    radio.pass(
        NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
            cacheName: nil))
    expect("a delegate's method that is optional there", notes.changes, 1)
}
