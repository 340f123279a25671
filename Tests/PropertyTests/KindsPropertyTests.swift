import CoreData
import Foundation
import TestSupport
import Testing

/// Saves random values of all kinds to every kind of store and reads them again. SQLite must read
/// the same values. A migration to a random neighbouring version must keep them.
@Suite("Random values of all kinds") struct KindsPropertyTests {
    private static let kinds = [
        NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType,
    ]

    @Test(arguments: kinds)
    func `saved values are read again, from every store`(type: String) throws {
        for seed in 1...20 {
            var random = SeededRandom(seed: UInt64(seed))
            var model = KindsModel(&random)
            if type != NSSQLiteStoreType { model.members.removeAll { $0.kind == .derived } }
            let run = try KindsRun(model, type: type)
            try run.fill(&random)
            try run.compare("seed \(seed) in \(type)")
            if type == NSSQLiteStoreType { try run.compareWithSQL("seed \(seed)") }
        }
    }

    @Test func `a migration to a neighbour keeps the values that both versions have`() throws {
        for seed in 1...20 {
            var random = SeededRandom(seed: UInt64(seed))
            let model = KindsModel(&random)
            let run = try KindsRun(model, type: NSSQLiteStoreType)
            try run.fill(&random)
            try run.migrate(to: model.neighbour(&random))
            try run.compare("seed \(seed), migrated")
            try run.compareWithSQL("seed \(seed), migrated")
        }
    }
}

final class KindsRun {
    private let folder: TemporaryFolder
    private let url: URL
    private let type: String
    private var model: KindsModel
    private var coordinator: NSPersistentStoreCoordinator
    private var context: NSManagedObjectContext
    /// The values of each object are in the order of the members.
    private var rows: [(id: NSManagedObjectID, values: [Any?])] = []

    init(_ model: KindsModel, type: String) throws {
        folder = try TemporaryFolder()
        url = folder.url.appendingPathComponent("store")
        self.model = model
        self.type = type
        (coordinator, context) = try Self.open(model, type, url)
    }

    private static func open(
        _ model: KindsModel, _ type: String, _ url: URL, former: KindsModel? = nil
    ) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
        let version = model.make()
        if let former { version.knownVersions = [former.make()] }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: version)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: type == NSInMemoryStoreType ? nil : url,
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return (coordinator, context)
    }

    private var members: [KindsModel.Member] { model.members }

    func fill(_ random: inout SeededRandom) throws {
        var made: [(object: NSManagedObject, values: [Any?])] = []
        try context.performAndWait {
            for _ in 0..<6 {
                let object = NSEntityDescription.insertNewObject(
                    forEntityName: "Special", into: context)
                var values: [Any?] = []
                for member in members {
                    let value = KindsModel.value(member.kind, &random)
                    values.append(value)
                    if member.kind == .objectID {
                        object.setValue(made.last?.object.objectID, forKey: member.name)
                        let kept = object.value(forKey: member.name) as? NSManagedObjectID
                        #expect(kept == made.last?.object.objectID)
                    } else if member.kind != .derived {
                        object.setValue(value, forKey: member.name)
                    }
                }
                made.append((object, values))
            }
            try context.save()
            for place in made.indices where random.next(below: 2) == 0 {
                let number = random.next(below: members.count)
                let member = members[number]
                let value = KindsModel.value(member.kind, &random)
                made[place].values[number] = value
                if member.kind != .derived {
                    made[place].object.setValue(value, forKey: member.name)
                }
            }
            try context.save()
            rows = made.map { ($0.object.objectID, $0.values) }
            context.reset()
        }
    }

    func compare(_ place: String) throws {
        try context.performAndWait {
            context.reset()
            for row in rows {
                let id = try #require(
                    coordinator.managedObjectID(forURIRepresentation: row.id.uriRepresentation()))
                let object = try context.existingObject(with: id)
                for (number, member) in members.enumerated() {
                    let expected = expectation(member, row.values, number)
                    let found = object.value(forKey: member.name)
                    let isSame = Self.areSame(found, expected)
                    #expect(isSame, "\(place): \(member.name) \(member.kind) \(found as Any)")
                }
            }
        }
    }

    private func expectation(
        _ member: KindsModel.Member, _ values: [Any?], _ number: Int
    ) -> Any? {
        switch member.kind {
        case .transient, .untyped, .objectID: nil
        case .derived: (values[0] as? String)?.uppercased()
        default: values[number]
        }
    }

    private static func areSame(_ found: Any?, _ expected: Any?) -> Bool {
        switch (found, expected) {
        case (nil, nil): return true
        case (let found as [String: Any], let expected as [String: Any]):
            return (found as NSDictionary).isEqual(expected as NSDictionary)
        case (let found as Bool, let expected as Bool): return found == expected
        case (let found as NSObject, let expected as NSObject): return found.isEqual(expected)
        case (let found as any Equatable, let expected as any Equatable):
            return isEqual(found, expected)
        default: return false
        }
    }

    private static func isEqual<T: Equatable>(_ found: T, _ expected: any Equatable) -> Bool {
        if let same = expected as? T { return same == found }
        return "\(found)" == "\(expected)"
    }

    /// SQLite must read the same bytes.
    func compareWithSQL(_ place: String) throws {
        let reader = try KindsReader(url)
        for row in rows {
            let key = row.id.uriRepresentation().lastPathComponent.dropFirst()
            for (number, member) in members.enumerated() {
                let problem = try reader.problem(
                    String(key), member, expectation(member, row.values, number))
                #expect(problem == nil, "\(place): \(member.name) \(member.kind): \(problem ?? "")")
            }
        }
    }

    func migrate(to next: KindsModel) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let old = model
        model = next
        (coordinator, context) = try Self.open(next, type, url, former: old)
        rows = rows.map { row in
            let values = next.members.enumerated().map { number, member -> Any? in
                let isKept = member.name == old.members[number].name || member.formerName != nil
                guard isKept, let value = row.values[number] else { return nil }
                // A Boolean was migrated to a number.
                if let flag = value as? Bool, member.kind != .boolean { return flag ? 1 : 0 }
                return value
            }
            return (row.id, values)
        }
    }
}
