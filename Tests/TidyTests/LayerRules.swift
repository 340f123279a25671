// Owns the order of the folders inside CoreDataEngine: a folder names types of its own level or of
// a lower one.

enum LayerRules {
    /// From high to low. Folders of one level may know each other.
    static let levels: [Set<String>] = [
        ["ResultsController", "Migration", "CustomStores"],
        ["Requests"],
        ["Context", "Object", "Undo", "Merge", "Fetch", "Save"],
        ["Coordinator"],
        ["Stores"],
        ["History"],
        ["Vocabulary", "Errors"],
        ["Notifications", "Confinement"],
    ]

    /// Values and plain requests that every layer may carry, wherever they are declared.
    static let carried: Set<String> = ["NSManagedObjectID", "NSPersistentStoreRequest"]

    private static let belowContext: Set<String> = [
        "Coordinator", "Stores", "History", "Vocabulary", "Errors", "Notifications", "Confinement",
    ]

    static func unknownFolders(_ files: [SourceFile]) -> [Violation] {
        files.filter { $0.module == "CoreDataEngine" && $0.isSource }.compactMap { file in
            guard let folder = file.folder else {
                return file.violation(0, "engine-folder", "put it into one of the layer folders")
            }
            guard level(folder) == nil else { return nil }
            return file.violation(0, "engine-folder", "give folder \(folder) a place in the order")
        }
    }

    /// Names of types that a higher folder declares.
    static func upward(_ files: [SourceFile]) -> [Violation] {
        let engine = files.filter { $0.module == "CoreDataEngine" && $0.isSource }
        var home: [String: Int] = [:]
        for file in engine {
            guard let level = level(file.folder) else { continue }
            for name in Types.declared(in: file) where !carried.contains(name) {
                home[name] = level
            }
        }
        return engine.flatMap { file -> [Violation] in
            guard let own = level(file.folder) else { return [] }
            return file.code.enumerated().flatMap { index, line in
                Words.of(line).filter { (home[$0] ?? own) < own }.map {
                    file.violation(
                        index, "layer",
                        "\(file.folder ?? "") must not name \($0) of a higher folder")
                }
            }
        }
    }

    /// Managed objects and contexts below the context's layer: only values travel there.
    static func objectsBelow(_ files: [SourceFile]) -> [Violation] {
        let banned: Set<String> = ["NSManagedObject", "NSManagedObjectContext"]
        return files.flatMap { file -> [Violation] in
            guard file.module == "CoreDataEngine", let folder = file.folder, file.isSource,
                belowContext.contains(folder)
            else { return [] }
            return file.code.enumerated().flatMap { index, line in
                Words.of(line).filter(banned.contains).map {
                    file.violation(
                        index, "values-below", "pass values of Vocabulary instead of \($0)")
                }
            }
        }
    }

    private static func level(_ folder: String?) -> Int? {
        levels.firstIndex { $0.contains(folder ?? "") }
    }
}
