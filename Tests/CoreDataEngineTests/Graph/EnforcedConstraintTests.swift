import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization
import Testing

/// Uniqueness constraints of stores that are entirely in memory.
@Suite struct EnforcedConstraintTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private func stack(_ type: String) throws -> GraphStack {
        try GraphStack(
            GraphModels.moody(), at: folder.store, type: type,
            options: [FaultlineEnforceUniquenessConstraintsOption: true])
    }

    private static let types = [NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType]

    // Shows D-090.
    @Test(arguments: types)
    func `the option refuses duplicates of rows and within one save`(type: String) throws {
        let context = try stack(type).context()
        try context.on {
            let first = context.make("Country", ["code": "DE", "name": "Germany"])
            context.make("Country")
            context.make("Country")
            try context.save()
            let second = context.make("Country", ["code": "DE"])
            let error = try #require(context.saveError())
            #expect(error.code == 133_021)
            let list = error.userInfo["conflictList"] as? [NSConstraintConflict]
            #expect(list?.first?.databaseObject?.objectID == first.objectID)
            second.setValue("FR", forKey: "code")
            try context.save()
            second.setValue("DE", forKey: "code")
            #expect(context.saveError()?.code == 133_021)
            // Values that are reassigned in one save are not duplicates.
            first.setValue("FR", forKey: "code")
            try context.save()
            context.make("Country", ["code": "X"])
            context.make("Country", ["code": "X"])
            #expect(context.saveError()?.code == 133_021)
        }
    }

    @Test(arguments: types)
    func `the merge policy decides as in SQLite stores`(type: String) throws {
        let stack = try stack(type)
        let context = stack.context(.mergeByPropertyObjectTrump)
        try context.on {
            context.make("Country", ["code": "DE", "name": "old", "count": 1])
            try context.save()
            context.make("Country", ["code": "DE", "name": "new"])
            try context.save()
        }
        let other = stack.context()
        try other.on {
            let all = try other.all("Country")
            #expect(all.map { $0.value(forKey: "name") as? String } == ["new"])
        }
    }

    @Test func `a store without the option names the entities in one line of the log`() throws {
        let lines = Mutex<[String]>([])
        let model = GraphModels.moody()
        let name = "Land\(UUID().uuidString.prefix(8))"
        model.entities.first { $0.name == "Country" }?.name = name
        try EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            for _ in 0..<2 {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.addPersistentStore(
                    ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
            }
        }
        let about = lines.withLock { $0.filter { $0.contains(name) } }
        #expect(about.count == 1)
        #expect(about.first?.contains("FaultlineEnforceUniquenessConstraintsOption") == true)
    }
}
