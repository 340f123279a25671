import CoreData

class Shelf: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var books: NSSet?
    @NSManaged var readingList: NSOrderedSet?
    var saves = 0
    init(named name: String, in context: NSManagedObjectContext) {
        let entity = NSEntityDescription.entity(forEntityName: "Shelf", in: context)!
        super.init(entity: entity, insertInto: context)
        self.name = name
    }
    @nonobjc class func fetchRequest() -> NSFetchRequest<Shelf> {
        NSFetchRequest(entityName: "Shelf")
    }
}

extension Shelf {
    @objc(addBooksObject:)
    @NSManaged public func addToBooks(_ value: Book)
    @objc(removeBooksObject:)
    @NSManaged public func removeFromBooks(_ value: Book)
    @objc(addBooks:)
    @NSManaged public func addToBooks(_ values: NSSet)
    @objc(removeBooks:)
    @NSManaged public func removeFromBooks(_ values: NSSet)
    @NSManaged func addBooksObject(_ value: Book)
    @NSManaged func removeBooksObject(_ value: Book)
    @objc(insertObject:inReadingListAtIndex:)
    @NSManaged func insertIntoReadingList(_ value: Book, at idx: Int)
    @NSManaged func removeFromReadingList(at idx: Int)
    @NSManaged func insertIntoReadingList(_ values: [Book], at indexes: NSIndexSet)
    @NSManaged func removeFromReadingList(at indexes: NSIndexSet)
    @NSManaged func replaceReadingList(at idx: Int, with value: Book)
    @NSManaged func replaceReadingList(at indexes: NSIndexSet, with values: [Book])
    @NSManaged func addToReadingList(_ value: Book)
    @NSManaged private func removeFromReadingList(_ value: Book)
    @NSManaged func addToReadingList(_ values: NSOrderedSet)
    func drop(_ book: Book) { removeFromReadingList(book) }
}
