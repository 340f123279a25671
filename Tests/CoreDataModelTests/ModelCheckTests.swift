import CoreDataModel
import Foundation
import Testing

struct ModelCheckTests {
    private func findings(_ entities: [NSEntityDescription]) -> [String] {
        findings(model(entities))
    }

    private func findings(_ model: NSManagedObjectModel) -> [String] {
        do throws(ModelError) {
            try model.freeze()
            return []
        } catch {
            return error.findings.map { finding in
                let name = [finding.entity, finding.property].compactMap { $0 }
                return "\(finding.kind) \(name.joined(separator: "."))"
            }
        }
    }

    @Test func `all findings are in one error`() {
        let bad = attribute("count", .integer16AttributeType)
        bad.defaultValue = "many"
        let thing = entity(
            "Thing",
            [attribute("a", .undefinedAttributeType), bad, attribute(""), attribute("two words")])
        #expect(
            findings([thing]) == [
                "missingName Thing.", "badName Thing.two words", "missingType Thing.a",
                "badDefaultValue Thing.count",
            ])
    }

    @Test func `entities need unique names`() {
        #expect(findings([entity("A"), entity("A")]) == ["duplicateEntity A"])
        #expect(findings([NSEntityDescription()]) == ["missingName "])
        let nameless = entity("A")
        nameless.managedObjectClassName = ""
        #expect(findings([nameless]) == ["missingClassName A"])
    }

    @Test func `inheritance stays inside the model and has no cycles`() {
        let parent = entity("Parent")
        let child = entity("Child")
        parent.subentities = [child]
        #expect(findings([parent]) == ["foreignEntity Parent"])
        #expect(findings([child]) == ["unknownSuperentity Child"])
        child.subentities = [parent]
        #expect(
            findings([parent, child]) == ["superentityCycle Parent", "superentityCycle Child"])
    }

    @Test func `a subentity cannot declare an inherited property again`() {
        let parent = entity("Parent", [attribute("name")])
        let child = entity("Child", [attribute("name")])
        parent.subentities = [child]
        #expect(findings([parent, child]) == ["inheritedProperty Child.name"])
    }

    @Test func `relationships have a destination and agree with their inverse`() {
        let a = entity("A")
        let b = entity("B")
        let stranger = entity("C")
        let lost = NSRelationshipDescription()
        lost.name = "lost"
        let outside = toOne("outside", stranger)
        let bs = toMany("bs", b)
        let other = toMany("other", b)
        let back = toOne("a", a)
        bs.inverseRelationship = back
        other.inverseRelationship = back
        back.inverseRelationship = bs
        let odd = toMany("odd", b)
        odd.minCount = 3
        odd.maxCount = 2
        a.properties = [lost, outside, bs, other, odd]
        b.properties = [back]
        #expect(
            findings([a, b]) == [
                "missingDestination A.lost", "unknownDestination A.outside",
                "inverseNotMutual A.other", "badCount A.odd",
            ])
    }

    @Test func `constraints and indexes name columns of the entity`() {
        let thing = entity("Thing", [attribute("a"), attribute("t", transient: true)])
        thing.properties += [toMany("others", thing)]
        thing.uniquenessConstraints = [["a", "b"], ["others"], ["t"], [], [5]]
        thing.indexes = [
            NSFetchIndexDescription(name: "i", elements: []),
            NSFetchIndexDescription(
                name: "j",
                elements: [
                    NSFetchIndexElementDescription(
                        property: thing.ownProperties[0], collationType: .rTree)
                ]),
        ]
        #expect(
            findings([thing]) == [
                "unknownConstraintMember Thing.b", "unknownConstraintMember Thing.others",
                "unknownConstraintMember Thing.t", "unknownConstraintMember Thing.",
                "unknownIndexMember Thing",
            ])
    }

    @Test func `features that the engine does not store yet are refused by name`() {
        let composite = NSCompositeAttributeDescription()
        composite.name = "c"
        let derived = NSDerivedAttributeDescription()
        derived.name = "d"
        derived.attributeType = .integer64AttributeType
        let external = attribute("e", .binaryDataAttributeType)
        external.allowsExternalBinaryDataStorage = true
        let thing = entity(
            "Thing",
            [
                composite, derived, external, attribute("o", .objectIDAttributeType),
            ])
        #expect(
            findings([thing]) == [
                "unsupported Thing.c", "unsupported Thing.d", "unsupported Thing.o",
            ])
    }

    @Test func `an entity belongs to one model`() {
        let shared = entity("A")
        let first = model([shared])
        let second = model([shared])
        #expect(findings(first) == ["foreignEntity A"])
        #expect(findings(second) == [])
    }

    @Test func `merging keeps equal entities once and refuses different ones`() throws {
        func library(_ type: NSAttributeType) -> NSManagedObjectModel {
            let author = entity("Author", [attribute("name", type)])
            let book = entity("Book")
            let author1 = toOne("author", author)
            let books = toMany("books", book)
            pair(author1, books)
            book.properties = [author1]
            author.properties += [books]
            return model([author, book])
        }
        let film = entity("Film", [attribute("title")])
        let films = model([film])
        films.setEntities([film], forConfigurationName: "Films")
        films.versionIdentifiers = ["films"]
        let libraries = [library(.stringAttributeType), library(.stringAttributeType)]
        let merged = try #require(NSManagedObjectModel(byMerging: libraries + [films]))
        #expect(merged.entities.map(\.name) == ["Author", "Book", "Film"])
        #expect(merged.configurations == ["Films"])
        #expect(merged.versionIdentifiers == ["films"])
        try merged.freeze()
        #expect(film.managedObjectModel === films)
        let different = [library(.stringAttributeType), library(.dateAttributeType)]
        #expect(NSManagedObjectModel(byMerging: different) == nil)
        let error = try #require(throws: ModelError.self) {
            _ = try NSManagedObjectModel.merge(different)
        }
        #expect(error.findings.map(\.kind) == [.mergeConflict])
        #expect(error.entity == "Author")
        let metadata = try #require(films.storeMetadata())
        let chosen = NSManagedObjectModel(
            byMerging: different + [films], forStoreMetadata: metadata)
        #expect(chosen?.entities.map(\.name) == ["Film"])
    }
}
