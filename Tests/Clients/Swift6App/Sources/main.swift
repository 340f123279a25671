import CoreData

/// An app in Swift 6 mode, with strict concurrency and asynchronous work. Contexts exchange ids
/// instead of objects.
func check(_ condition: Bool, _ what: String) {
    guard !condition else { return }
    FileHandle.standardError.write(Data("Swift6App: \(what)\n".utf8))
    exit(1)
}

func run() async throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("swift6app-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    let planner = try Planner(folder: folder)
    planner.container.viewContext.automaticallyMergesChangesFromParent = true
    let trip = try await planner.add("trip", steps: ["book", "pack", "go"])
    _ = try await planner.add("meal", steps: ["cook"])
    try await planner.finish("pack", of: trip)
    let open = try await planner.open()
    check(open == ["book", "cook", "go"], "three steps are open, not \(open)")
    let names = try await planner.namesOnMain()
    check(names == ["meal", "trip"], "the view context finds both plans")

    // Two contexts change one row, so the second save throws.
    let first = planner.container.newBackgroundContext()
    let second = planner.container.newBackgroundContext()
    try await second.perform {
        (try second.existingObject(with: trip) as? Plan)?.name = "second"
    }
    try await first.perform {
        (try first.existingObject(with: trip) as? Plan)?.name = "first"
        try first.save()
    }
    let code = await second.perform {
        do {
            try second.save()
            return 0
        } catch {
            return (error as NSError).code
        }
    }
    check(code == NSManagedObjectMergeError, "the second save conflicts, code \(code)")
    await second.perform { second.rollback() }

    // The view context merges automatically when the main queue runs.
    let name = await planner.container.viewContext.perform {
        (planner.container.viewContext.object(with: trip) as? Plan)?.name
    }
    check(name == "first", "the view context shows the saved name")
    try Declarations.run(in: folder)
    try Keys.run(in: folder)
}

try await run()
