import CoreData
import Foundation

@testable import Bookmarks
@testable import Persistence

/// The database of the app on a stack of the lab. Each schedule starts with the same rows.
final class LabDatabase: CoreDataDatabase {
    private let stack: NSPersistentContainer

    init(_ stack: NSPersistentContainer) {
        self.stack = stack
        super.init(
            name: "lab", containerLocation: FileManager.default.temporaryDirectory,
            model: stack.managedObjectModel)
    }

    override func makeContext(
        concurrencyType: NSManagedObjectContextConcurrencyType, name: String?
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: concurrencyType)
        context.persistentStoreCoordinator = stack.persistentStoreCoordinator
        context.name = name
        return context
    }

    /// The root folder contains the bookmarks `a` and `b`. Every favourites folder contains `a`.
    func fill() throws {
        let context = makeContext(concurrencyType: .privateQueueConcurrencyType, name: "set-up")
        try context.performAndWait {
            BookmarkUtils.prepareFoldersStructure(in: context)
            guard let root = BookmarkUtils.fetchRootFolder(context) else { return }
            for name in ["a", "b"] {
                let bookmark = BookmarkEntity.makeBookmark(
                    title: name, url: "https://\(name).example", parent: root, context: context)
                if name == "a" {
                    bookmark.addToFavorites(
                        with: .displayUnified(native: .mobile), in: context)
                }
            }
            try context.save()
        }
    }

    /// The contents that a user sees: the bookmarks, and the favourites of each folder in their
    /// order.
    func seen() throws -> [String] {
        let context = makeContext(concurrencyType: .privateQueueConcurrencyType, name: "look")
        return context.performAndWait {
            func titles(_ list: [BookmarkEntity]) -> String {
                list.map { $0.title ?? "nil" }.joined(separator: " ")
            }
            let folders = [FavoritesFolderID.mobile, .unified].map { id in
                let folder = BookmarkUtils.fetchFavoritesFolder(withUUID: id.rawValue, in: context)
                return "\(id)=[\(titles(folder?.favoritesArray ?? []))]"
            }
            let root = BookmarkUtils.fetchRootFolder(context)
            return ["bookmarks=[\(titles(root?.childrenArray ?? []))]"] + folders
        }
    }
}
