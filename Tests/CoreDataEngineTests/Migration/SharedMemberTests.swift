import CoreDataModel
import CoreDataPredicate
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Migrations after which a member, which several owners share, may have only one owner.
struct SharedMemberTests {
    private static let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#

    private static func relationship(
        _ name: String, _ target: String, _ count: String, _ inverse: String?
    ) -> String {
        let back = inverse.map { #"inverseName="\#($0)" inverseEntity="\#(target)""# } ?? ""
        return #"<relationship name="\#(name)" optional="YES" \#(count) "#
            + #"destinationEntity="\#(target)" \#(back)/>"#
    }

    private static let one = #"maxCount="1""#
    private static let many = #"toMany="YES""#

    private func model(_ car: String, _ garage: String) throws -> NSManagedObjectModel {
        try MigrationFixture.model(
            #"<entity name="Car">\#(Self.name)\#(car)</entity>"#
                + #"<entity name="Garage">\#(Self.name)\#(garage)</entity>"#)
    }

    /// A store in which car a has the garage G0, and car b has G1, or also G0 if `shared` is true.
    private func fixture(
        _ car: String, _ garage: String, shared: Bool
    ) throws -> MigrationFixture {
        let fixture = try MigrationFixture()
        try fixture.use(model(car, garage)) { context in
            let garages = ["G0", "G1"].map { make("Garage", context, ["name": $0]) }
            for (number, name) in ["a", "b"].enumerated() {
                let object = make("Car", context, ["name": name])
                let value = shared ? garages[0] : garages[number]
                let isMany = car.contains("toMany")
                object.setValue(isMany ? NSSet(object: value) : value, forKey: "place")
            }
        }
        return fixture
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let old: (car: String, garage: String)
        let new: (car: String, garage: String)
    }

    static let changes = [
        Change(
            testDescription: "a to-one gains a to-one inverse",
            old: (relationship("place", "Garage", one, nil), ""),
            new: (
                relationship("place", "Garage", one, "car"),
                relationship("car", "Car", one, "place")
            )),
        Change(
            testDescription: "a to-one becomes to-many",
            old: (relationship("place", "Garage", one, nil), ""),
            new: (relationship("place", "Garage", many, nil), "")),
        Change(
            testDescription: "a to-one becomes to-many with a to-one inverse",
            old: (relationship("place", "Garage", one, nil), ""),
            new: (
                relationship("place", "Garage", many, "car"),
                relationship("car", "Car", one, "place")
            )),
        Change(
            testDescription: "a many-to-many's inverse becomes another, to-one",
            old: (
                relationship("place", "Garage", many, "cars"),
                relationship("cars", "Car", many, "place")
            ),
            new: (
                relationship("place", "Garage", many, "car"),
                relationship("car", "Car", one, "place")
            )),
    ]

    @Test(arguments: changes)
    func `links are kept if no two owners share a member`(change: Change) throws {
        let fixture = try fixture(change.old.car, change.old.garage, shared: false)
        try fixture.use(model(change.new.car, change.new.garage)) { context in
            for (car, garage) in [("a", "G0"), ("b", "G1")] {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
                request.predicate = NSPredicate(format: "name == %@", car)
                let found = try #require(try context.fetch(request).first)
                let places = MappedMembers.objects(found.value(forKey: "place"))
                let place = places.first
                #expect(place?.value(forKey: "name") as? String == garage)
                guard change.new.garage.contains(#""car""#) else { continue }
                #expect(place?.value(forKey: "car") as? NSManagedObject === found)
            }
        }
    }

    @Test(arguments: changes)
    func `a member of two owners stops a migration and leaves the store whole`(
        change: Change
    ) throws {
        let fixture = try fixture(change.old.car, change.old.garage, shared: true)
        let before = try fixture.dump()
        let new = try model(change.new.car, change.new.garage)
        let error = try #require(fixture.failure(new))
        #expect(error.code == NSInferredMappingModelError, "\(error)")
        #expect(error.userInfo["property"] as? String != nil)
        #expect(try fixture.dump() == before)
    }

    @Test func `owners may share members if the inverse is to-many`() throws {
        let fixture = try fixture(
            Self.relationship("place", "Garage", Self.one, nil), "", shared: true)
        let new = try model(
            Self.relationship("place", "Garage", Self.many, "cars"),
            Self.relationship("cars", "Car", Self.many, "place"))
        try fixture.use(new) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Garage")
            request.predicate = NSPredicate(format: "name == 'G0'")
            let garage = try #require(try context.fetch(request).first)
            #expect((garage.value(forKey: "cars") as? NSSet)?.count == 2)
        }
    }
}
