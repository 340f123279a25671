import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Testing

/// Tests of saves that the store refuses, and of saves with an unknown result after a lost
/// connection.
@Suite struct RefusedSaveTests {
    private let address = DepotKind.address()

    private func titles(_ stack: GraphStack) throws -> [String?] {
        let context = stack.context()
        return try context.on { try context.all("Book").map { $0.text("title") } }
    }

    /// A context that has changed the title of the only book, without saving.
    private func changed(
        _ policy: NSMergePolicy = .error
    ) throws -> (GraphStack, NSManagedObjectContext, Depot) {
        let stack = try GraphStack(Library.makeModel(), at: address, type: DepotKind.type)
        let writer = stack.context()
        try writer.on {
            writer.make("Book", ["title": "old"])
            try writer.save()
        }
        let context = stack.context(policy)
        try context.on { try context.all("Book")[0].setValue("new", forKey: "title") }
        return (stack, context, try #require(DepotKind.depot(at: address)))
    }

    @Test func `a refused save is repeated until the store takes it`() throws {
        let (stack, context, depot) = try changed()
        let before = depot.saves
        depot.answer([.refused(), .refused()])
        try context.on { try context.save() }
        #expect(depot.saves == before + 3)
        #expect(try titles(stack) == ["new"])
    }

    @Test func `the repeated save meets the rows of the other transaction`() throws {
        let (_, context, depot) = try changed(.mergeByPropertyObjectTrump)
        depot.answer([
            .refused(before: { [address] in
                let other = try GraphStack(
                    Library.makeModel(), at: address, type: DepotKind.type
                ).context()
                try other.on {
                    try other.all("Book")[0].setValue(1999, forKey: "year")
                    try other.save()
                }
            })
        ])
        try context.on {
            try context.save()
            let book = try context.all("Book")[0]
            #expect(book.text("title") == "new" && (book as? Book)?.year == 1999)
        }
    }

    @Test func `a save that is always refused fails after ten attempts and can be repeated`() throws
    {
        let (stack, context, depot) = try changed()
        let before = depot.saves
        depot.answer(Array(repeating: .refused(), count: 20))
        let error = try #require(try context.on { context.saveError() })
        #expect(error.code == NSPersistentStoreSaveError && depot.saves == before + 10)
        #expect(
            error.localizedDescription == "The store \(address.absoluteString) refused the save"
                + " because another transaction wrote at the same time. Nothing was written; save"
                + " again.")
        #expect(error.userInfo[FaultlineSaveOutcomeUnknownErrorKey] == nil)
        depot.answer([])
        try context.on {
            #expect(context.hasChanges)
            try context.save()
        }
        #expect(try titles(stack) == ["new"])
    }

    @Test(arguments: [false, true])
    func `a save of unknown outcome says so and empties the row cache`(isSaved: Bool) throws {
        let (stack, context, depot) = try changed()
        depot.answer([.unknown(isSaved: isSaved)])
        let error = try #require(try context.on { context.saveError() })
        #expect(error.code == NSPersistentStoreSaveError)
        #expect(
            error.localizedDescription.hasPrefix("It is not known whether the changes were saved"))
        #expect(error.userInfo[FaultlineSaveOutcomeUnknownErrorKey] as? Bool == true)
        #expect(
            error.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore]
                == stack.coordinator.persistentStores)
        try context.on {
            let book = try #require(context.updatedObjects.first)
            #expect(stack.coordinator.rowCache.row(book.objectKey) == nil)
            context.rollback()
            context.refreshAllObjects()
            #expect(book.text("title") == (isSaved ? "new" : "old"))
        }
    }
}
