import CoreData

class Watcher: NSObject {
    var seen: [String] = []
    var last: String { #selector(Watcher.plain).description }

    func start() {
        let center = NotificationCenter.default
        center.addObserver(self, selector: #selector(told(_:)), name: .init("told"), object: nil)
        NotificationCenter.default.addObserver(
            self, selector: #selector(self.plain), name: Notification.Name("plain"), object: nil)
    }
    func stop() { NotificationCenter.default.removeObserver(self) }
    @objc private func told(_ notification: Notification) { seen.append("told") }
    @objc func plain() { seen.append("plain") }
}
