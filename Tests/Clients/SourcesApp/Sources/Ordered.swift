import CoreData

class Ordered: NSObject {
    @objc var mark = 1
    @objc func line() -> Int { (#line) }
    var path: String { #keyPath(Ordered.mark) }
}
