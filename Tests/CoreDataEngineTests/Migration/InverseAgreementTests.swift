import CoreDataModel
import CoreDataPredicate
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Migrations in which two independent relationships become inverses of each other.
struct InverseAgreementTests {
    private static let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#

    struct Ends: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let car: Bool
        let garage: Bool
    }

    static let ends = [
        Ends(testDescription: "to-one and to-one", car: false, garage: false),
        Ends(testDescription: "to-one and to-many", car: false, garage: true),
        Ends(testDescription: "to-many and to-many", car: true, garage: true),
    ]

    private func model(_ ends: Ends, inverses: Bool) throws -> NSManagedObjectModel {
        func end(_ name: String, _ target: String, _ isMany: Bool, _ inverse: String) -> String {
            #"<relationship name="\#(name)" optional="YES" "#
                + (isMany ? #"toMany="YES""# : #"maxCount="1""#)
                + #" destinationEntity="\#(target)""#
                + (inverses ? #" inverseName="\#(inverse)" inverseEntity="\#(target)"/>"# : "/>")
        }
        return try MigrationFixture.model(
            #"<entity name="Car">\#(Self.name)\#(end("place", "Garage", ends.car, "cars"))"#
                + #"</entity><entity name="Garage">\#(Self.name)"#
                + #"\#(end("cars", "Car", ends.garage, "place"))</entity>"#)
    }

    private func link(
        _ object: NSManagedObject, _ key: String, _ other: NSManagedObject, _ isMany: Bool
    ) {
        object.setValue(isMany ? NSSet(object: other) : other, forKey: key)
    }

    /// A store in which car a has the garage G0, and car b has the garage G1. If `agree` is false,
    /// each garage refers to the other car.
    private func fixture(_ ends: Ends, agree: Bool) throws -> MigrationFixture {
        let fixture = try MigrationFixture()
        try fixture.use(model(ends, inverses: false)) { context in
            let cars = ["a", "b"].map { make("Car", context, ["name": $0]) }
            let garages = ["G0", "G1"].map { make("Garage", context, ["name": $0]) }
            for (car, garage) in zip(cars, garages) { link(car, "place", garage, ends.car) }
            for (car, garage) in zip(cars, agree ? garages : garages.reversed()) {
                link(garage, "cars", car, ends.garage)
            }
        }
        return fixture
    }

    @Test(arguments: ends)
    func `two relationships become inverses if both have the same links`(ends: Ends) throws {
        let fixture = try fixture(ends, agree: true)
        try fixture.use(model(ends, inverses: true)) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
            for car in try context.fetch(request) {
                let places = MappedMembers.objects(car.value(forKey: "place"))
                let expected = car.value(forKey: "name") as? String == "a" ? "G0" : "G1"
                #expect(places.map { $0.value(forKey: "name") as? String } == [expected])
                let back = places.first.map { MappedMembers.objects($0.value(forKey: "cars")) }
                #expect(back == [car])
            }
        }
    }

    @Test(arguments: ends)
    func `two relationships stop the migration if one has links that the other lacks`(ends: Ends)
        throws
    {
        let fixture = try fixture(ends, agree: false)
        let before = try fixture.dump()
        let error = try #require(fixture.failure(model(ends, inverses: true)))
        #expect(error.code == NSInferredMappingModelError, "\(error)")
        #expect(error.userInfo["property"] as? String == "place")
        #expect(try fixture.dump() == before)
    }

    @Test func `a relationship becomes its own inverse only if it is mutual`() throws {
        func model(_ inverse: String) throws -> NSManagedObjectModel {
            try MigrationFixture.model(
                #"<entity name="Person">\#(Self.name)<relationship name="friend" optional="YES" "#
                    + #"maxCount="1" destinationEntity="Person" \#(inverse)/></entity>"#)
        }
        let new = try model(#"inverseName="friend" inverseEntity="Person""#)
        for isMutual in [true, false] {
            let fixture = try MigrationFixture()
            try fixture.use(model("")) { context in
                let (ada, grace) = (make("Person", context), make("Person", context))
                ada.setValue(grace, forKey: "friend")
                if isMutual { grace.setValue(ada, forKey: "friend") }
            }
            #expect(fixture.failure(new)?.code == (isMutual ? nil : NSInferredMappingModelError))
        }
    }
}
