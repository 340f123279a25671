import CoreDataModel
import CoreDataPredicate
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

struct ValidationRulesTests {
    /// Builds an entity with one attribute and one to-many relationship.
    private func rules(
        _ change: (NSAttributeDescription, NSRelationshipDescription) -> Void
    ) throws -> ValidationRules {
        let attribute = NSAttributeDescription()
        attribute.name = "title"
        attribute.attributeType = .stringAttributeType
        attribute.isOptional = true
        let parts = NSRelationshipDescription()
        parts.name = "parts"
        parts.isOptional = true
        parts.maxCount = 0
        let whole = NSRelationshipDescription()
        whole.name = "whole"
        whole.maxCount = 1
        let entity = NSEntityDescription()
        entity.name = "Thing"
        entity.properties = [attribute, parts, whole]
        for (end, other) in [(parts, whole), (whole, parts)] {
            end.destinationEntity = entity
            end.inverseRelationship = other
            end.deleteRule = .nullifyDeleteRule
        }
        change(attribute, parts)
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return try ModelBinding.of(model).validationRules(at: 0)
    }

    @Test func `a model without rules leaves nothing to check`() throws {
        #expect(try rules { _, _ in }.isEmpty)
    }

    @Test func `a transient value may be missing`() throws {
        let rules = try rules { title, _ in (title.isOptional, title.isTransient) = (false, true) }
        #expect(rules.isEmpty)
    }

    @Test func `a required value may be empty, but not missing`() throws {
        let rule = try #require(try rules { title, _ in title.isOptional = false }.values.first)
        #expect(try rule.breach(by: .null)?.code == .missingMandatoryProperty)
        #expect(try rule.breach(by: .null)?.message == "title is a required value.")
        #expect(try rule.breach(by: .string("")) == nil)
    }

    @Test(arguments: [
        ("1670", CoreDataError.Code.stringTooShort, "title is too short."),
        ("1680", .stringPatternMatching, "title does not match its pattern."),
        ("Say more.", .validation, "Say more."), ("99", .validation, "99"),
    ])
    func `a warning is the number of the error or its text`(
        warning: String, code: CoreDataError.Code, message: String
    ) throws {
        let rules = try rules { title, _ in
            title.setValidationPredicates(
                [NSPredicate(format: "length > 2")], withValidationWarnings: [warning])
        }
        let rule = try #require(rules.values.first)
        let breach = try rule.breach(by: .string("ab"))
        #expect(breach?.code == code)
        #expect(breach?.message == message)
        #expect(try rule.breach(by: .string("abc")) == nil)
        #expect(try rule.breach(by: .null) == nil)
    }

    @Test func `a predicate that cannot be evaluated on its value is an error that names both`()
        throws
    {
        let rules = try rules { title, _ in
            title.setValidationPredicates(
                [NSPredicate(format: "colour = 'red'")], withValidationWarnings: ["1680"])
        }
        let rule = try #require(rules.values.first)
        #expect { _ = try rule.breach(by: .string("x")) } throws: {
            let message = ($0 as? CoreDataError)?.message ?? ""
            return message.contains("colour") && message.contains("'title'")
        }
    }

    // Proves S1.7-6
    @Test func `numbers of destinations have bounds, and optional ones may be empty`() throws {
        func codes(_ rules: ValidationRules) throws -> [CoreDataError.Code?] {
            let rule = try #require(rules.counts.first)
            return (0...3).map { rule.breach(by: $0)?.code }
        }
        let bounded = try rules { _, parts in (parts.minCount, parts.maxCount) = (2, 2) }
        #expect(try codes(bounded) == [nil, .lacksMinimumCount, nil, .exceedsMaximumCount])
        let required = try rules { _, parts in parts.isOptional = false }
        #expect(required.counts.isEmpty)
    }

    // Proves S1.5-8
    @Test func `several errors are combined into one, and combined ones are flattened`() throws {
        let one = CoreDataError(.stringTooLong, "a")
        let two = try #require(CoreDataError.combined([one, one]))
        #expect(CoreDataError.combined([]) == nil)
        #expect(CoreDataError.combined([one])?.code == .stringTooLong)
        #expect(CoreDataError.combined([two, one])?.details.count == 3)
    }

    @Test func `a custom error passes through the bridge unchanged`() {
        let own = NSError(domain: "Shop", code: 7, userInfo: ["why": "closed"])
        #expect(CoreDataError(own).nsError === own)
        #expect(CoreDataError(CoreDataError(.sqlite, "x")).code == .sqlite)
    }
}
