import Foundation
import Testing

@testable import CoreDataModel

struct VersionHashTests {
    /// Three entities with every property that a hash covers.
    private final class Sample {
        let model: NSManagedObjectModel
        let owner = entity("Owner")
        let pet = entity("Pet")
        let dog = entity("Dog")
        let name = attribute("name")
        let pets: NSRelationshipDescription

        init() {
            pets = toMany("pets", pet)
            let back = toOne("owner", owner)
            pair(pets, back)
            owner.properties = [name, pets]
            pet.properties = [back, attribute("chip")]
            dog.properties = [attribute("breed")]
            pet.subentities = [dog]
            pet.uniquenessConstraints = [["chip"]]
            model = CoreDataModelTests.model([owner, pet, dog])
        }

        var hashes: [String: Data] { model.entityVersionHashesByName }
    }

    private func changed(_ change: (Sample) -> Void) -> Set<String> {
        let (before, after) = (Sample(), Sample())
        change(after)
        let old = before.hashes
        return Set(after.hashes.filter { old[$0.key] != $0.value }.map(\.key))
    }

    // Proves S3.7-2
    @Test func `a change that affects the store changes the hash`() {
        #expect(changed { _ in } == [])
        #expect(changed { $0.name.name = "title" } == ["Owner"])
        #expect(changed { $0.name.attributeType = .integer16AttributeType } == ["Owner"])
        #expect(changed { $0.name.isOptional = false } == ["Owner"])
        #expect(changed { $0.name.isTransient = true } == ["Owner"])
        #expect(changed { $0.name.versionHashModifier = "2" } == ["Owner"])
        #expect(changed { $0.name.allowsExternalBinaryDataStorage = true } == ["Owner"])
        #expect(changed { $0.name.preservesValueInHistoryOnDeletion = true } == ["Owner"])
        #expect(changed { $0.pets.name = "animals" } == ["Owner", "Pet", "Dog"])
        #expect(changed { $0.pets.isOptional = false } == ["Owner"])
        #expect(changed { $0.pets.isOrdered = true } == ["Owner"])
        #expect(changed { $0.pets.minCount = 1 } == ["Owner"])
        #expect(changed { $0.pets.maxCount = 9 } == ["Owner"])
        #expect(changed { $0.pets.destinationEntity = $0.dog } == ["Owner"])
        #expect(changed { $0.pets.inverseRelationship = nil } == ["Owner"])
        #expect(changed { $0.pets.versionHashModifier = "2" } == ["Owner"])
        #expect(changed { $0.pet.isAbstract = true } == ["Pet", "Dog"])
        #expect(changed { $0.pet.versionHashModifier = "2" } == ["Pet", "Dog"])
        #expect(changed { $0.pet.uniquenessConstraints = [] } == ["Pet", "Dog"])
        #expect(changed { $0.dog.properties += [attribute("age")] } == ["Dog"])
        #expect(changed { $0.pet.subentities = [] } == ["Dog"])
    }

    // Proves S2.13-5
    @Test func `a change that does not affect the store keeps the hash`() {
        #expect(changed { $0.name.defaultValue = "x" } == [])
        #expect(changed { $0.name.renamingIdentifier = "old" } == [])
        #expect(changed { $0.name.userInfo = ["a": 1] } == [])
        #expect(changed { $0.name.attributeValueClassName = "Name" } == [])
        #expect(changed { $0.name.valueTransformerName = "T" } == [])
        #expect(changed { $0.name.setIndexed(true) } == [])
        #expect(changed { $0.pets.deleteRule = .cascadeDeleteRule } == [])
        #expect(changed { $0.owner.managedObjectClassName = "Owner" } == [])
        #expect(changed { $0.owner.renamingIdentifier = "Old" } == [])
        #expect(changed { $0.owner.userInfo = ["a": 1] } == [])
        #expect(changed { $0.owner.properties += [attribute("draft", transient: true)] } == [])
        #expect(changed { $0.owner.properties += [NSFetchedPropertyDescription()] } == [])
        #expect(changed { $0.owner.properties.reverse() } == [])
        #expect(
            changed { sample in
                let element = NSFetchIndexElementDescription(
                    property: sample.name, collationType: .binary)
                sample.owner.indexes = [NSFetchIndexDescription(name: "i", elements: [element])]
            } == [])
    }

    @Test func `freezing keeps the hashes`() throws {
        let sample = Sample()
        let before = sample.hashes
        try sample.model.freeze()
        #expect(sample.hashes == before)
        #expect(before.values.allSatisfy { $0.count == 32 })
        #expect(sample.name.versionHash.count == 32)
    }

    @Test func `a configuration fits only the metadata that it wrote`() throws {
        let sample = Sample()
        sample.model.setEntities([sample.owner], forConfigurationName: "Owners")
        let all = try #require(sample.model.storeMetadata())
        let owners = try #require(sample.model.storeMetadata(forConfigurationName: "Owners"))
        func fits(_ name: String?, _ metadata: [String: Any]) -> Bool {
            sample.model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata)
        }
        #expect(fits(nil, all))
        #expect(fits("Owners", owners))
        #expect(!fits(nil, owners))
        #expect(!fits("Owners", all))
        #expect(!fits("Nobody", owners))
        #expect(!fits(nil, [:]))
        #expect(sample.model.storeMetadata(forConfigurationName: "Nobody") == nil)
        #expect(all["NSStoreModelVersionHashesVersion"] as? Int == 3)
        #expect(all["NSStoreModelVersionChecksumKey"] as? String == sample.model.versionChecksum)
    }

    @Test func `SHA-256 and SHA-512 return the published values`() {
        func hex(_ bytes: [UInt8]) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        let long =
            Array("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno".utf8)
            + Array("ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu".utf8)
        #expect(
            hex(SHA2.sha256(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hex(SHA2.sha256([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            hex(SHA2.sha256(long))
                == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1")
        #expect(
            hex(SHA2.sha512(Array("abc".utf8)))
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
        #expect(
            hex(SHA2.sha512(long))
                == "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909")
    }
}
