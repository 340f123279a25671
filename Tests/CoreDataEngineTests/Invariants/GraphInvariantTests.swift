import CoreDataModel
import CoreDataStore
import Testing

@testable import CoreDataEngine

/// Tests that violate the invariants of a context deliberately.
@Suite struct GraphInvariantTests {
    private let context: NSManagedObjectContext

    init() throws { context = try GraphStack(GraphModels.moody()).context() }

    @Test func `the identity map reports an object under another's key`() throws {
        try context.on {
            let country = context.make("Country", ["code": "A"])
            let registry = context.registry
            #expect(registry.brokenInvariant() == nil)
            let wrong = country.key - 1_000_000
            registry.tables[country.rootIndex].update(
                wrong, Unmanaged.passUnretained(country).toOpaque())
            #expect(
                registry.brokenInvariant()
                    == "The object \(country.key) is stored under the key \(wrong).")
            #expect(context.brokenInvariant() == registry.brokenInvariant())
            registry.tables[country.rootIndex].remove(wrong)
            #expect(context.brokenInvariant() == nil)
        }
    }

    @Test func `the identity map reports an object that belongs to another map`() throws {
        let stranger = try GraphStack(GraphModels.moody()).context()
        defer { withExtendedLifetime(stranger) {} }
        try context.on {
            let country = context.make("Country", ["code": "A"])
            let own = country.registryReference
            country.registryReference = Unmanaged.passUnretained(stranger.registry)
            #expect(
                context.registry.brokenInvariant()
                    == "The object \(country.key) is registered here but refers to another"
                    + " registry.")
            country.registryReference = own
            #expect(context.registry.brokenInvariant() == nil)
        }
    }

    @Test func `the lists of changes report an object that occurs twice`() throws {
        try context.on {
            let country = context.make("Country", ["code": "A"])
            #expect(context.changes.brokenInvariant() == nil)
            context.changes.insertedList.append(country)
            #expect(
                context.changes.brokenInvariant()
                    == "The list of new objects contains an object twice.")
            context.changes.insertedList.removeLast()
            #expect(context.changes.brokenInvariant() == nil)
        }
    }

    @Test func `the lists of changes report an object whose state contradicts them`() throws {
        try context.on {
            let country = context.make("Country", ["code": "A"])
            try context.save()
            country.setValue("new", forKey: "name")
            #expect(context.hasChanges && context.changes.brokenInvariant() == nil)
            country.state.remove(.updated)
            #expect(
                context.changes.brokenInvariant()
                    == "The list of changed objects contains an object that is unchanged, new or"
                    + " deleted.")
            country.state.insert(.updated)
            context.delete(country)
            #expect(context.hasChanges && context.changes.brokenInvariant() == nil)
            country.state.remove(.deleted)
            #expect(
                context.changes.brokenInvariant()
                    == "The list of deleted objects contains an object that is not deleted.")
            country.state.insert(.deleted)
            #expect(context.brokenInvariant() == nil)
        }
    }

    @Test func `an object that is changed after it was deleted is not an updated one`() throws {
        try context.on {
            let country = context.make("Country", ["code": "A"])
            try context.save()
            context.delete(country)
            #expect(context.hasChanges)
            country.setValue("new", forKey: "name")
            #expect(context.updatedObjects.isEmpty && context.deletedObjects == [country])
            #expect(context.brokenInvariant() == nil)
            try context.save()
            #expect(context.brokenInvariant() == nil)
            #expect(try context.all("Country").isEmpty)
        }
    }

    @Test func `unsaved values report a wrong count`() throws {
        try context.on {
            let country = context.make("Country", ["code": "A"])
            let slot = try #require(country.layout.valueSlot(named: "name"))
            let pending = try #require(country.pending)
            #expect(!pending.isSet(slot) && country.brokenPendingValues() == nil)
            pending.values[slot] = .string("not counted")
            let wanted =
                "The slot \(slot) has a value but is not set; the value would not be released."
            #expect(country.brokenPendingValues() == wanted)
            #expect(context.brokenInvariant() == wanted)
            pending.values[slot] = .null
            #expect(context.brokenInvariant() == nil)
        }
    }

    @Test func `unsaved values report a slot without memory`() throws {
        try context.on {
            let country = context.make("Country", ["code": "A"])
            let pending = try #require(country.pending)
            pending.header.pointee.mask.insert(60)
            #expect(
                country.brokenPendingValues()
                    == "The set of changed slots contains a slot outside the memory.")
            pending.header.pointee.mask.remove(60)
            #expect(country.brokenPendingValues() == nil)
        }
    }

    @Test func `the bits that inlined code tests equal those of the slow path`() {
        #expect(ObjectState.slowPath.rawValue == ObjectState.slowPathBits)
    }

    @Test func `a context that was moved to another coordinator reads the newest state`() throws {
        let folder = try GraphFolder()
        defer { withExtendedLifetime(folder) {} }
        let pinned = try GraphStack(GraphModels.moody(), at: folder.store).context()
        try pinned.on { try pinned.setQueryGenerationFrom(.current) }
        let other = try GraphStack(GraphModels.moody())
        pinned.persistentStoreCoordinator = other.coordinator
        #expect(pinned.queryGenerationToken == nil)
    }
}
