#!/usr/bin/env swift
import CoreData

let context = SnippetModel.context()
let book = Book(context: context)
let date = Date(timeIntervalSinceReferenceDate: 5)
let id = UUID()

expect("a class is found by its name for Objective-C", type(of: book) == Book.self, true)
expect("an optional string is nil", book.title, nil)
book.title = "A"
expect("an optional string", book.title, "A")
expect("key-value coding sees it", book.value(forKey: "title") as? String, "A")
book.setValue("B", forKey: "title")
expect("it sees key-value coding", book.title, "B")
expect("a number that is nil is zero", book.pages, 0)
book.pages = 7
expect("a 32-bit number", book.pages, 7)
book.count16 = 16
book.count64 = 64
expect("the first of two variables", book.count16, 16)
expect("the second of two variables", book.count64, 64)
book.rating = 1.5
expect("a final double", book.rating, 1.5)
book.weight = 0.25
expect("a float", book.weight, 0.25)
book.isRead = true
expect("a boolean", book.isRead, true)
book.added = date
expect("a dynamic date", book.added, date)
book.cover = Data([1, 2])
expect("data with @objc", book.cover, Data([1, 2]))
book.code = id
expect("an id with a comment", book.code, id)
book.link = URL(string: "https://example.com")
expect("a link", book.link?.absoluteString, "https://example.com")
book.price = 12.5
expect("a decimal object", book.price, 12.5)
expect("an enumeration that is nil", book.kind, .novel)
book.kind = .atlas
expect("an enumeration", book.kind, .atlas)
book.stamp = 9
expect("a date as a scalar", book.stamp, 9)
expect(
    "the scalar is a date", book.value(forKey: "stamp") as? Date,
    Date(timeIntervalSinceReferenceDate: 9))
book.number = 3
expect("a number object", book.number, 3)
expect("an override in an extension", book.awakened, true)
book.setSecret("s")
expect("a private, implicitly unwrapped one", book.readSecret(), "s")

expect("words in a string", Book.quoted.hasPrefix("@NSManaged var"), true)
expect("words in a raw string", Book.raw.hasPrefix("#selector(Book"), true)
expect("a key path in an interpolation", Book.inside, "path: title")
expect("a key path in lines", Book.many, "@objc dynamic #keyPath(x)\nshelf.name")
expect("a key path inside the class", book.pathInside(), "shelf.name")
expect("a key path", #keyPath(Book.shelf.books), "shelf.books")
expect("a key path of a nested class", #keyPath(Book.Inner.Deep.depth), "depth")
expect("a selector without labels", #selector(Book.turn(_:)).description, "turn:")
expect("a selector with labels", #selector(Book.turn(to:quickly:)).description, "turnTo:quickly:")
expect("a selector with With", #selector(Book.turnPage(number:)).description, "turnPageWithNumber:")
expect("a selector of another name", #selector(Book.renamed(_:)).description, "customName:")
expect("a selector of a getter", #selector(getter: Book.title).description, "title")
expect("a selector of a setter", #selector(setter: Book.title).description, "setTitle:")
expect("a selector of an action", #selector(Book.tapped(_:)).description, "tapped:")

let shelf = Shelf(named: "top", in: context)
let second = Book(context: context)
book.put(on: shelf)
expect("a to-one relationship", book.shelf, shelf)
expect("its inverse", shelf.books, NSSet(object: book))
shelf.addToBooks(second)
expect("addTo", shelf.books?.count, 2)
shelf.removeFromBooks(second)
expect("removeFrom", second.shelf, nil)
shelf.addToBooks(NSSet(array: [book, second]))
expect("addTo with a set", shelf.books?.count, 2)
shelf.removeFromBooks(NSSet(object: book))
expect("removeFrom with a set", shelf.books, NSSet(object: second))
shelf.addBooksObject(book)
expect("addXObject", book.shelf, shelf)
shelf.removeBooksObject(book)
expect("removeXObject", book.shelf, nil)
shelf.addToReadingList(book)
shelf.insertIntoReadingList(second, at: 0)
expect("insertInto", shelf.readingList?.array as? [Book], [second, book])
expect("a typed set", book.readers, [shelf])
shelf.removeFromReadingList(at: 0)
expect("removeFrom at", shelf.readingList?.array as? [Book], [book])
shelf.insertIntoReadingList([second], at: NSIndexSet(index: 1))
expect("insertInto at indexes", shelf.readingList?.array as? [Book], [book, second])
shelf.removeFromReadingList(at: NSIndexSet(index: 0))
expect("removeFrom at indexes", shelf.readingList?.array as? [Book], [second])
shelf.replaceReadingList(at: 0, with: book)
expect("replace at", shelf.readingList?.array as? [Book], [book])
shelf.replaceReadingList(at: NSIndexSet(index: 0), with: [second])
expect("replace at indexes", shelf.readingList?.array as? [Book], [second])
shelf.addToReadingList(NSOrderedSet(array: [book]))
expect("addTo with an ordered set", shelf.readingList?.array as? [Book], [second, book])
shelf.drop(second)
expect("a private removeFrom", shelf.readingList?.array as? [Book], [book])

try context.save()
expect("an override in another file", shelf.saves > 0, true)
context.refreshAllObjects()
expect("a fault fires", book.title, "B")
expect("a missing initialiser is there", try context.fetch(Shelf.fetchRequest()).count, 1)

let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
request.predicate = NSPredicate(format: "%K == %@", #keyPath(Book.code), id as CVarArg)
let cast = request as! NSFetchRequest<Book>
expect("a cast request, an id as CVarArg", try context.fetch(cast), [book])
let sorted = NSFetchRequest<Book>(entityName: "Book")
sorted.sortDescriptors = [NSSortDescriptor(keyPath: \Book.title, ascending: false)]
expect("a sort descriptor by key path", try context.fetch(sorted).first, book)

let watcher = Watcher()
watcher.start()
NotificationCenter.default.post(name: .init("told"), object: nil)
NotificationCenter.default.post(name: .init("plain"), object: nil)
expect("methods are told", watcher.seen, ["told", "plain"])
watcher.stop()
NotificationCenter.default.post(name: .init("told"), object: nil)
expect("not after they were removed", watcher.seen.count, 2)
expect("a selector of a method by its name", watcher.last, "plain")
expect(
    "the line is the original's", "\(#filePath):\(#line)".hasSuffix("Sources/main.swift:128"), true)

let parts = Outer.Model()
expect("a property of another name", #keyPath(Outer.Model.title), "theTitle")
expect("a path of two types", #keyPath(Outer.Model.other.title), "other.theTitle")
expect("an @objc lazy variable", parts.lazyOne, 1)
expect("an @objc weak variable", parts.other == nil, true)
expect("an @objc protocol", (Reader() as Readable).read(), "read")
let generic = Generic<Int>()
generic.value = 3
generic.reset()
expect("an @objc method of a generic class", generic.value, nil)
expect("a selector of a generic class", #selector(Generic<Int>.reset).description, "reset")
expect("an overridden method of an extension", book.describeShortly(), "book")
expect("an override under #if", shelf.saves / 100, 1)
expect("a chosen getter", #selector(getter: Book.summary).description, "shortSummary")
let counts = #keyPath(Shelf.books) + "." + #keyPath(Book.pages)
expect("two key paths in one line", counts, "books.pages")
expect(
    "a comparison by key path",
    NSPredicate(format: "%K > 3", #keyPath(Book.pages)).evaluate(with: book), true)

checkComments()
checkConditions()
checkAttributes()
checkValues()
checkRelationships()
checkOverrides()
checkKeyPaths()
checkSelectors()
checkMessages()
checkDelegates()
try checkKeyed()
try checkHabits()
try checkTypes()
try checkInitializers()
try checkRequests()
try await checkConcurrency()
try checkOddFiles()

print("\(count) snippets, \(count - failures) as expected")
exit(failures == 0 ? 0 : 1)
