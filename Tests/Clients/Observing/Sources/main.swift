import CoreData

func check(_ isTrue: Bool, _ what: String) {
    guard !isTrue else { return }
    print("failed: \(what)")
    exit(1)
}

/// A view model of an app. It keeps observation tokens and subscriptions.
final class BookModel {
    private(set) var titles: [String] = []
    private(set) var refreshes = 0
    private var observations: [NSKeyValueObservation] = []
    private var cancellables: Set<CombineTypes.AnyCancellable> = []

    init(_ book: Book) {
        observations.append(
            book.observe(\.title, options: [.initial, .new]) { [weak self] book, change in
                self?.titles.append((change.newValue ?? nil) ?? "untitled")
            })
        observations.append(
            book.observe(\.author?.name) { [weak self] book, _ in
                self?.titles.append("by \(book.author?.name ?? "nobody")")
            })
        book.objectWillChange
            .sink { [weak self] in self?.refreshes += 1 }
            .store(in: &cancellables)
    }
}

/// Registers with a context pointer, and unregisters when it is released.
final class BookWatcher: NSObject, KeyValueObserver {
    private let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    private let author: Author
    private(set) var changes: [String] = []

    init(_ author: Author) {
        self.author = author
        super.init()
        author.addObserver(
            self, forKeyPath: "books", options: [.new, .old], context: self.context)
        author.addObserver(self, forKeyPath: "shout", options: .new, context: self.context)
    }

    deinit {
        author.removeObserver(self, forKeyPath: "books", context: self.context)
        author.removeObserver(self, forKeyPath: "shout", context: self.context)
        context.deallocate()
    }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard context == self.context else {
            return observeUnhandledValue(
                forKeyPath: keyPath, of: object, change: change, context: context)
        }
        let kind = (change?[.kindKey] as? UInt).flatMap(NSKeyValueChange.init(rawValue:))
        switch (keyPath, kind) {
        case ("books", .insertion):
            changes.append("+\((change?[.newKey] as? Set<Book>)?.first?.title ?? "?")")
        case ("books", .removal):
            changes.append("-\((change?[.oldKey] as? Set<Book>)?.first?.title ?? "?")")
        case ("books", .setting): changes.append("=\(author.books.count)")
        default: changes.append(change?[.newKey] as? String ?? "?")
        }
    }
}

func observe(_ context: NSManagedObjectContext) throws {
    let (author, book) = (Author(context: context), Book(context: context))
    author.name = "Ann"
    book.title = "One"
    let model = BookModel(book)
    var watcher: BookWatcher? = BookWatcher(author)
    book.title = "Two"
    book.author = author
    author.name = "Bob"
    author.mutableSetValue(forKey: "books").remove(book)
    author.books = [book]
    check(
        model.titles == ["One", "Two", "by Ann", "by Bob", "by nobody", "by Bob"],
        "\(model.titles)")
    check(model.refreshes == 4, "changes of the book: \(model.refreshes)")
    check(watcher?.changes == ["+Two", "BOB", "-Two", "=1"], "\(watcher?.changes ?? [])")
    watcher = nil
    try context.save()
    context.delete(book)
    try context.save()
    check(author.books.isEmpty, "the observer is gone, the change is there")
}

func useKeys(_ context: NSManagedObjectContext) throws {
    let books = [10, 30, 20].map { pages in
        let book = Book(context: context)
        book.setValuesForKeys(["title": "p\(pages)", "pages": pages])
        return book
    }
    let array = books as NSArray
    check(array.value(forKey: "title") as? [String] == ["p10", "p30", "p20"], "titles")
    check(array.value(forKeyPath: "@avg.pages") as? Double == 20, "average")
    check(array.value(forKeyPath: "@max.pages") as? Int == 30, "largest")
    check(NSSet(array: books).value(forKeyPath: "@count") as? Int == 3, "count")
    array.setValue("same", forKey: "title")
    let titles = array.value(forKeyPath: "@distinctUnionOfObjects.title") as? [String]
    check(titles == ["same"], "distinct titles")
    let values = books[0].dictionaryWithValues(forKeys: ["pages", "author"])
    check(values["pages"] as? Int == 10 && values["author"] is NSNull, "several keys")
}

let context = try makeContext()
try observe(context)
try useKeys(context)
print("Observing: keys are observed and read")
