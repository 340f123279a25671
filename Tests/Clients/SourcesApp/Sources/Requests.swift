import CoreData

func checkRequests() throws {
    let note = entity("Note", [attribute("text", .stringAttributeType)])
    let context = stack([note])
    let made = Note(context: context, text: "a")
    try context.save()
    let notes = NSFetchRequest<Note>(entityName: "Note")
    let plain = notes as! NSFetchRequest<NSManagedObject>
    expect("a request of the base class", try context.fetch(plain), [made])
    let results = try context.fetch(notes as! NSFetchRequest<NSFetchRequestResult>)
    expect("a request of results", results.count, 1)
    let back = plain as? NSFetchRequest<Note>
    expect("a conditional cast", try back.map { try context.fetch($0) }, [made])
    let any: Any = notes
    if let same = any as? NSFetchRequest<Note> {
        expect("a cast of Any to its own type", same === notes, true)
    }
    let kept: NSPersistentStoreRequest? = notes
    expect("a forced cast of an optional", (kept as! NSFetchRequest<Note>) === notes, true)
    let copied = notes.copy() as! NSFetchRequest<NSManagedObject>
    expect("a forced cast of a copy", try context.fetch(copied), [made])
    let none: NSPersistentStoreRequest = NSBatchDeleteRequest(
        fetchRequest: NSFetchRequest(entityName: "Note"))
    expect("a cast of what is none", none as? NSFetchRequest<Note> == nil, true)
    expect("asking for the type", any is NSFetchRequest<NSManagedObject>, true)
    expect("asking what is none", (none is NSFetchRequest<Note>) || false, false)
    func make() throws -> NSPersistentStoreRequest { notes }
    let tried = try make() as? NSFetchRequest<NSDictionary>
    expect("a cast behind try", tried?.entityName, "Note")
    let found = try context.fetch(
        (any as? NSFetchRequest<NSManagedObject>) ?? NSFetchRequest(entityName: "None"))
    expect("a cast in parentheses", found.first as? Note, made)
    notes.sortDescriptors = [
        NSSortDescriptor(keyPath: \Note.text, ascending: true),
        .init(keyPath: \Note.objectID, ascending: false),
    ]
    expect("sort descriptors by key path", notes.sortDescriptors?.first?.key, "text")
    let date = Date()
    notes.predicate = NSPredicate(
        format: "%K == %@ AND %@ != nil AND self == %@", #keyPath(Note.text), "a" as CVarArg,
        date as CVarArg, made as any CVarArg)
    expect("arguments as CVarArg", try context.count(for: notes), 1)
}
