import CoreDataModel
import CoreDataStore
import Foundation
import Testing

@testable import CoreDataEngine

/// Tests that bit operators have the same results in every store as in memory.
@Suite struct BitPredicateTests {
    private static let flags = Array(-3..<20)

    private func context(_ type: String, _ folder: GraphFolder) throws -> NSManagedObjectContext {
        let entity = GraphModels.entity("Flag", [GraphModels.number("bits")])
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: GraphModels.model([entity]))
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: folder.store)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.on {
            for bits in Self.flags { context.make("Flag", ["bits": bits]) }
            try context.save()
        }
        return context
    }

    private typealias Question = (format: String, answer: @Sendable (Int) -> Bool)

    private static let questions: [Question] = [
        ("(bits & 4) != 0", { $0 & 4 != 0 }), ("bits & 6 == 2", { $0 & 6 == 2 }),
        ("(bits | 1) == 3", { $0 | 1 == 3 }), ("bits ^ 5 > 9", { $0 ^ 5 > 9 }),
        ("bits >> 1 == 3", { $0 >> 1 == 3 }), ("bits << 2 == 40", { $0 << 2 == 40 }),
        ("~bits == -6", { ~$0 == -6 }), ("bits & ~1 == 8", { $0 & ~1 == 8 }),
        ("onesComplement(bits) < -9", { ~$0 < -9 }),
        ("bitwiseXor:with:(bits, 3) == 4", { $0 ^ 3 == 4 }),
        ("1 << bits == 8 AND bits >= 0", { $0 >= 0 && 1 << $0 == 8 }),
    ]

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `the store finds the same rows as Swift`(_ type: String) throws {
        let folder = try GraphFolder()
        let context = try context(type, folder)
        try context.on {
            for (format, answer) in Self.questions {
                let found = try context.all("Flag", format, sort: "bits")
                    .compactMap { $0.value(forKey: "bits") as? Int }
                #expect(found == Self.flags.filter(answer), "\(format) in a store of \(type)")
            }
        }
    }
}
