import CoreData

let container = NSPersistentContainer(name: "Library")
container.loadPersistentStores { _, error in if let error { fatalError("\(error)") } }
let context = container.viewContext
let book = Book(context: context)
book.title = "Wuthering Heights"
try context.save()
let request = Book.fetchRequest()
request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.title, ascending: true)]
for book in try context.fetch(request) { print(book.title ?? "") }
