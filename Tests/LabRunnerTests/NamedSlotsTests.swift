import CoreDataEngine
import CoreDataModel
import Glibc
import Testing

@testable import LabRunner

@Suite struct NamedSlotsTests {
    private let model = NSManagedObjectModel()
    private let entity = NSEntityDescription()

    init() {
        entity.name = "Item"
        model.entities = [entity]
    }

    @Test func `slots belong to an object until they are dropped, each once`() {
        let one = NSManagedObject(entity: entity, insertInto: nil)
        let other = NSManagedObject(entity: entity, insertInto: nil)
        var named = NamedSlots()
        for slot in [2, 0, 2] { named.note(slot, of: one) }
        named.note(1, of: other)
        #expect(named.slots(of: one) == [0, 2] && named.slots(of: other) == [1])
        named.forget(one)
        #expect(named.slots(of: one).isEmpty && named.slots(of: other) == [1])
        named.removeAll()
        #expect(named.slots(of: other).isEmpty)
    }

    @Test func `a slot has the mark of its last value`() {
        let object = NSManagedObject(entity: entity, insertInto: nil)
        var named = NamedSlots()
        #expect(!named.equalsNull(1, of: object))
        named.note(1, of: object, equalsNull: true)
        #expect(named.equalsNull(1, of: object) && !named.equalsNull(0, of: object))
        named.note(1, of: object)
        #expect(!named.equalsNull(1, of: object) && named.slots(of: object) == [1])
    }

    @Test func `an object at the address of a released one has no slots`() {
        var named = NamedSlots()
        var addresses: Set<ObjectIdentifier> = []
        var reused = 0
        for _ in 0..<200 {
            let object = NSManagedObject(entity: entity, insertInto: nil)
            if !addresses.insert(ObjectIdentifier(object)).inserted { reused += 1 }
            #expect(named.slots(of: object).isEmpty)
            named.note(0, of: object)
        }
        // The address sanitizer delays reuse of memory, so it may prevent equal addresses.
        #expect(reused > 0 || dlsym(nil, "__asan_init") != nil)
    }
}
