import CoreDataModel
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

@Suite struct AddressTableTests {
    @Test
    func `a set of addresses agrees with a set of identities after any insertions and removals`()
        throws
    {
        let stack = try GraphStack(GraphModels.relationships())
        let context = stack.context()
        try context.on {
            let objects = (0..<300).map { context.make("Track", ["name": "\($0)"]) }
            var generator = SeededGenerator(seed: 11)
            var expected = Set(objects.prefix(20).map { ObjectIdentifier($0) })
            var set = IdentitySet(Array(objects.prefix(20)))
            for _ in 0..<5_000 {
                let object = objects[Int.random(in: 0..<300, using: &generator)]
                if Bool.random(using: &generator) {
                    let isNew = expected.insert(ObjectIdentifier(object)).inserted
                    #expect(set.insert(object) == isNew)
                } else {
                    set.remove(object)
                    expected.remove(ObjectIdentifier(object))
                }
            }
            for object in objects {
                #expect(set.contains(object) == expected.contains(ObjectIdentifier(object)))
            }
        }
    }

    @Test func `a table of keys finds the remaining keys, in dense and in scattered runs`() {
        var generator = SeededGenerator(seed: 12)
        var table = KeyTable()
        var expected: [Int64: UnsafeMutableRawPointer] = [:]
        for _ in 0..<20_000 {
            // Ranges of positive and negative keys are dense. Some begin in the middle of a group
            // of sixteen.
            let run = Int64.random(in: -20..<20, using: &generator) * 1_037
            let key = run + Int64.random(in: 0..<40, using: &generator)
            if Int.random(in: 0..<3, using: &generator) > 0 {
                let entry = UnsafeMutableRawPointer(bitPattern: 8 + abs(Int(key)) * 8)
                guard let entry else { continue }
                let old = table.update(key, entry)
                #expect(old == expected.updateValue(entry, forKey: key))
            } else {
                let old = table.remove(key)
                #expect(old == expected.removeValue(forKey: key))
            }
        }
        let count = table.count
        #expect(count == expected.count)
        for (key, entry) in expected {
            let found = table[key]
            #expect(found == entry)
        }
    }
}
