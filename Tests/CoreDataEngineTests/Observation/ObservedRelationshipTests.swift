import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Testing

/// Tests of reported changes of relationships, of keys that depend on other keys, and of key paths.
@Suite struct ObservedRelationshipTests {
    private func onContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = try Press.stack().context()
        try context.on { try body(context) }
    }

    @Test func `both ends are reported after both have their new values`() throws {
        try onContext { context in
            let (ann, bob) = (context.writer("Ann"), context.writer("Bob"))
            let volume = context.volume("A", by: ann)
            let log = ChangeLog()
            volume.log("writer", to: log)
            ann.log("volumes", to: log)
            bob.log("volumes", to: log)
            log.onChange = { _ in
                #expect(volume.writer === bob && bob.volumes == [volume] && ann.volumes == [])
            }
            volume.writer = bob
            #expect(
                log.take() == [
                    "writer set old=Ann new=Bob", "volumes remove old={A}",
                    "volumes insert new={A}",
                ])
        }
    }

    @Test func `a new set is a setting, added and removed members are insertions and removals`()
        throws
    {
        try onContext { context in
            let writer = context.writer("Ann")
            let (one, two) = (context.volume("A"), context.volume("B"))
            let log = ChangeLog()
            writer.log("volumes", to: log)
            writer.volumes = [one, two]
            #expect(log.take() == ["volumes set old={} new={A,B}"])
            writer.mutableSetValue(forKey: "volumes").remove(one)
            #expect(log.take() == ["volumes remove old={A}"])
            writer.mutableSetValue(forKey: "volumes").add(one)
            writer.mutableSetValue(forKey: "volumes").add(one)
            #expect(log.take() == ["volumes insert new={A}"])
            writer.mutableSetValue(forKey: "volumes").minus([one, two])
            #expect(log.take() == ["volumes remove old={A,B}"])
            writer.addMembers(NSSet(array: [one, two]), ManagedKey("volumes"))
            #expect(log.take() == ["volumes insert new={A,B}"])
            writer.mutableSetValue(forKey: "volumes").intersect([two])
            #expect(log.take() == ["volumes remove old={A}"])
            writer.mutableSetValue(forKey: "volumes").setSet([one])
            #expect(log.take() == ["volumes replace old={B} new={A}"])
            writer.mutableSetValue(forKey: "volumes").removeAllObjects()
            #expect(log.take() == ["volumes remove old={A}"] && writer.volumes == [])
        }
    }

    @Test func `a manual set mutation is reported as its kind`() throws {
        try onContext { context in
            let writer = context.writer("Ann")
            let (one, two) = (context.volume("A"), context.volume("B", by: writer))
            let log = ChangeLog()
            writer.log("volumes", to: log)
            func change(_ kind: NSKeyValueSetMutationKind, _ set: Set<Volume>, _ new: Set<Volume>) {
                writer.willChangeValue(forKey: "volumes", withSetMutation: kind, using: set)
                writer.setPrimitiveValue(new, forKey: "volumes")
                writer.didChangeValue(forKey: "volumes", withSetMutation: kind, using: set)
            }
            change(.union, [one, two], [one, two])
            change(.intersect, [one], [one])
            change(.set, [two], [two])
            change(.minus, [one, two], [])
            #expect(
                log.take() == [
                    "volumes insert new={A}", "volumes remove old={B}",
                    "volumes replace old={A} new={B}", "volumes remove old={B}",
                ])
        }
    }

    @Test func `an ordered relationship reports the indexes`() throws {
        try onContext { context in
            let volume = context.volume("A")
            let names = ["a", "b", "c", "d"]
            let chapters = names.map { context.make("Chapter", ["name": $0]) }
            let log = ChangeLog()
            volume.log("chapters", to: log)
            let key = ManagedKey("chapters")
            volume.addMembers(NSOrderedSet(array: Array(chapters[0...1])), key)
            #expect(log.take() == ["chapters insert new=[a,b] at=[0, 1]"])
            volume.insertMember(chapters[2], at: 1, key)
            #expect(log.take() == ["chapters insert new=[c] at=[1]"])
            volume.replaceMember(at: 0, with: chapters[3], key)
            #expect(log.take() == ["chapters replace old=[a] new=[d] at=[0]"])
            volume.removeMembers(at: NSIndexSet(indexSet: [0, 2]), key)
            #expect(log.take() == ["chapters remove old=[d,b] at=[0, 2]"])
            chapters[0].setValue(volume, forKey: "volume")
            #expect(log.take() == ["chapters insert new=[a] at=[1]"])
            volume.chapters = NSOrderedSet(array: [chapters[0], chapters[2]])
            #expect(log.take() == ["chapters set old=[c,a] new=[a,c]"])
            volume.willChange(.insertion, valuesAt: [0], forKey: "chapters")
            volume.setPrimitiveValue(
                NSOrderedSet(array: [chapters[1], chapters[0], chapters[2]]), forKey: "chapters")
            volume.didChange(.insertion, valuesAt: [0], forKey: "chapters")
            #expect(log.take() == ["chapters insert new=[b] at=[0]"])
        }
    }

    @Test func `a typed closure receives members in the property's type`() throws {
        try onContext { context in
            let writer = context.writer("Ann")
            let volume = context.volume("A")
            var seen: [NSKeyValueObservedChange<Set<Volume>?>] = []
            let token = writer.observe(\.volumes, options: [.old, .new]) { seen.append($1) }
            volume.writer = writer
            volume.writer = nil
            #expect(seen.map(\.kind) == [.insertion, .removal])
            #expect(seen[0].newValue == .some([volume]) && seen[0].oldValue == nil)
            #expect(seen[1].oldValue == .some([volume]) && seen[1].newValue == nil)
            token.invalidate()
        }
    }

    @Test func `a many-to-many relationship reports both ends`() throws {
        try onContext { context in
            let volume = context.volume("A")
            let tag = context.make("Tag", ["name": "t"])
            let log = ChangeLog()
            volume.log("tags", to: log)
            tag.log("volumes", to: log)
            volume.mutableSetValue(forKey: "tags").add(tag)
            #expect(log.take() == ["tags insert new={t}", "volumes insert new={A}"])
            tag.setValue(NSSet(), forKey: "volumes")
            #expect(log.take() == ["tags remove old={t}", "volumes set old={A} new={}"])
        }
    }

    // MARK: Dependent keys and paths

    @Test func `a key that depends on others is reported with them`() throws {
        try onContext { context in
            let writer = DependentWriter(
                entity: context.writer().entity, insertInto: context as NSManagedObjectContext?)
            writer.first = "Ann"
            let log = ChangeLog()
            writer.log("fullName", to: log)
            writer.last = "Lee"
            #expect(log.take() == ["fullName set old=Ann new=Ann Lee"])
            var greetings: [String] = []
            let token = writer.observe(\.greeting, options: .new) {
                greetings.append($1.newValue ?? "none")
            }
            writer.first = "Bob"
            #expect(greetings == ["Hello Bob Lee"])
            #expect(log.take() == ["fullName set old=Ann Lee new=Bob Lee"])
            #expect(DependentWriter.keyPathsForValuesAffectingValue(forKey: "none").isEmpty)
            token.invalidate()
        }
    }

    @Test func `a path follows its relationship to the new object`() throws {
        try onContext { context in
            let (ann, bob) = (context.writer("Ann"), context.writer("Bob"))
            let volume = context.volume("A", by: ann)
            let log = ChangeLog()
            volume.log("writer.first", to: log)
            ann.first = "Anna"
            #expect(log.take() == ["writer.first set old=Ann new=Anna"])
            volume.writer = bob
            #expect(log.take() == ["writer.first set old=Anna new=Bob"])
            ann.first = "x"
            #expect(log.take().isEmpty)
            bob.first = "Bobby"
            #expect(log.take() == ["writer.first set old=Bob new=Bobby"])
            volume.writer = nil
            #expect(log.take() == ["writer.first set old=Bobby new=nil"])
            volume.removeObserver(log, forKeyPath: "writer.first")
            volume.writer = ann
            ann.first = "y"
            #expect(log.take().isEmpty)
        }
    }

    @Test func `a path by a Swift key path goes through optionals`() throws {
        try onContext { context in
            let volume = context.volume("A", by: context.writer("Ann"))
            var seen: [String] = []
            let token = volume.observe(\.writer?.first, options: [.new]) {
                seen.append(($1.newValue ?? nil) ?? "nil")
            }
            volume.writer?.first = "Bob"
            volume.writer = nil
            #expect(seen == ["Bob", "nil"])
            token.invalidate()
        }
    }
}

/// A class that declares its dependent keys in both possible forms.
final class DependentWriter: Writer {
    var greeting: String { "Hello \(fullName)" }

    static func keyPathsForValuesAffectingFullName() -> Set<String> { ["first", "last"] }

    override class var keyedMembers: [KeyedMember] {
        super.keyedMembers + [
            .property("greeting", of: DependentWriter.self, get: { $0.greeting }),
            .affected("fullName", by: { keyPathsForValuesAffectingFullName() }),
        ]
    }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        let above = super.keyPathsForValuesAffectingValue(forKey: key)
        return key == "greeting" ? above.union(["fullName"]) : above
    }
}
