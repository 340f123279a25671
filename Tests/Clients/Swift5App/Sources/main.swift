import CoreData

/// An app in Swift 5 mode. It runs typical code and ends the process if a result is wrong.
func check(_ condition: Bool, _ what: String) {
    guard !condition else { return }
    FileHandle.standardError.write(Data("Swift5App: \(what)\n".utf8))
    exit(1)
}

let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("swift5app-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let stack = try Stack(folder: folder)
let view = stack.viewContext

// Objects, relationships and notifications.
var inserted = 0
let token = NotificationCenter.default.addObserver(
    forName: .NSManagedObjectContextDidSave, object: view, queue: nil
) { note in
    inserted += (note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
}
let home = Folder(context: view)
home.name = "home"
for index in 1...3 {
    let note = Note(context: view)
    note.text = "note \(index)"
    note.stars = index
    note.folder = home
}
try view.save()
NotificationCenter.default.removeObserver(token)
check(inserted == 4, "did-save names four inserted objects, not \(inserted)")
check(home.notes.count == 3, "the folder has its notes")

// Validation and rollback.
let empty = Note(context: view)
do {
    try view.save()
    check(false, "an empty note was saved")
} catch NoteError.empty {
    view.rollback()
} catch {
    check(false, "the save failed with \(error)")
}
check(!view.hasChanges && empty.managedObjectContext == nil, "rollback drops the note")

// Fetches.
let request = NSFetchRequest<Note>(entityName: "Note")
request.predicate = NSPredicate(format: "stars >= %d AND folder.name == %@", 2, "home")
request.sortDescriptors = [NSSortDescriptor(key: "stars", ascending: false)]
let found = try view.fetch(request)
check(found.map(\.text) == ["note 3", "note 2"], "the fetch finds two notes in order")
check(try view.count(for: request) == 2, "the count agrees")

// A background context, its merge policy, and a manual merge.
let background = stack.container.newBackgroundContext()
background.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
let id = found[0].objectID
var saves: [Notification] = []
let other = NotificationCenter.default.addObserver(
    forName: .NSManagedObjectContextDidSave, object: background, queue: nil
) { saves.append($0) }
background.performAndWait {
    do {
        guard let note = try background.existingObject(with: id) as? Note else { return }
        note.stars = 5
        try background.save()
    } catch {
        check(false, "the background save failed with \(error)")
    }
}
NotificationCenter.default.removeObserver(other)
for save in saves { view.mergeChanges(fromContextDidSave: save) }
check(found[0].stars == 5, "the view context has the merged value")

// A child context as a scratchpad.
let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
child.parent = view
(try child.existingObject(with: id) as? Note)?.text = "edited"
check(found[0].text == "note 3", "the child's edit stays in the child")
try child.save()
check(found[0].text == "edited" && view.hasChanges, "the child's save reaches the parent")
try view.save()

// A deletion with the rule cascade.
view.delete(home)
try view.save()
check(try view.count(for: NSFetchRequest<Note>(entityName: "Note")) == 0, "the notes are gone")

try Declarations.run(in: folder)
try Keys.run(in: folder)
