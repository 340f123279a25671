import CoreData

extension Shelf {
    override func willSave() {
        super.willSave()
        count()
    }
    fileprivate func count() { saves += 1 }
}
