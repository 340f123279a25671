import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Testing

@testable import CoreDataEngine

/// Validation errors contain texts of a model's `localizationDictionary`.
@Suite struct LocalizationTests {
    /// A context of a model in which an article has a required title, a short summary, authors and
    /// a child.
    private func context(_ texts: [String: String]) throws -> NSManagedObjectContext {
        let title = GraphModels.text("title")
        title.isOptional = false
        let summary = GraphModels.text("summary")
        summary.setValidationPredicates(
            [NSPredicate(format: "length < 3")], withValidationWarnings: ["too wordy"])
        let article = GraphModels.entity("Article", [title, summary])
        let review = GraphModels.entity("Review", [])
        article.subentities = [review]
        let model = GraphModels.model([article, review])
        model.localizationDictionary = texts
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func message(
        _ texts: [String: String], _ entity: String, _ values: [String: Any]
    ) throws -> String? {
        let context = try context(texts)
        return try context.on {
            context.make(entity, values)
            return context.saveError()?.localizedDescription
        }
    }

    @Test(arguments: ["Article", "Review"])
    func `a property has the name that the model's dictionary sets`(_ entity: String) throws {
        let own = ["Property/title/Entity/Article": "Headline", "Property/title": "Name"]
        #expect(try message(own, entity, [:])?.contains("Headline is a required value.") == true)
        #expect(
            try message(["Property/title": "Name"], entity, [:])?
                .contains("Name is a required value.") == true)
        #expect(
            try message(["Entity/Article": "Text"], entity, [:])?
                .contains("title is a required value.") == true)
    }

    @Test func `a warning of the model has its text`() throws {
        let values = ["title": "a", "summary": "long"]
        let texts = ["ErrorString/too wordy": "Say it shorter."]
        #expect(try message(texts, "Article", values)?.contains("Say it shorter.") == true)
        #expect(try message([:], "Article", values)?.contains("too wordy") == true)
    }
}
