import CoreData

// A subclass without initialisers inherits those of its superclass.
class Context: NSManagedObjectContext {}
class Container: NSPersistentContainer {}
class CloudContainer: NSPersistentCloudKitContainer {}
class Coordinator: NSPersistentStoreCoordinator {}
class Description: NSPersistentStoreDescription {}
class Controller: NSFetchedResultsController<NSManagedObject> {}
class Request: NSFetchRequest<NSManagedObject> {}
class Policy: NSMergePolicy {}
class Expression: NSExpression {}
class Order: NSSortDescriptor {}
class Entity: NSEntityDescription {}
class Attribute: NSAttributeDescription {}
class Derived: NSDerivedAttributeDescription {}
class Relationship: NSRelationshipDescription {}
class Fetched: NSFetchedPropertyDescription {}
class Computed: NSExpressionDescription {}
class Index: NSFetchIndexDescription {}
class IndexElement: NSFetchIndexElementDescription {}
class Predicate: NSPredicate {}
class Deletion: NSBatchDeleteRequest {}
class Insertion: NSBatchInsertRequest {}
class Update: NSBatchUpdateRequest {}
class Model: NSManagedObjectModel {}
class Manager: NSMigrationManager {}
class MigrationPolicy: NSEntityMigrationPolicy {}
class Mapping: NSMappingModel {}
class EntityMapping: NSEntityMapping {}
class PropertyMapping: NSPropertyMapping {}
class Stage: NSMigrationStage {}
class Conflict: NSMergeConflict {}
class ConstraintConflict: NSConstraintConflict {}
class HistoryRequest: NSPersistentHistoryChangeRequest {}

// Test doubles of results.
class DeleteResult: NSBatchDeleteResult { override var result: Any? { 1 } }
class InsertResult: NSBatchInsertResult { override var result: Any? { 2 } }
class UpdateResult: NSBatchUpdateResult { override var result: Any? { 3 } }
class HistoryResult: NSPersistentHistoryResult { override var result: Any? { [] as [Any] } }
class Transaction: NSPersistentHistoryTransaction { override var author: String? { "me" } }
class Change: NSPersistentHistoryChange { override var changeID: Int64 { 4 } }

// The types of a query layer that many apps have.
protocol TypedPredicate: NSPredicate {}
final class Condition: NSPredicate, TypedPredicate {}
final class Both: NSCompoundPredicate, TypedPredicate {}
final class Comparing: NSComparisonPredicate, TypedPredicate {
    override var rightExpression: NSExpression { super.rightExpression }
    override var options: NSComparisonPredicate.Options { .caseInsensitive }
}
final class Never: NSPredicate {
    override func evaluate(with object: Any?, substitutionVariables: [String: Any]?) -> Bool {
        false
    }
}

func subclasses() {
    let model = NSManagedObjectModel()
    let url = URL(fileURLWithPath: "/nowhere")
    let context = Context(.privateQueue)
    check(Context(concurrencyType: .mainQueueConcurrencyType).parent == nil, "a context")
    check(Container(name: "M").name == "M", "a container")
    check(Container(name: "M", managedObjectModel: model).name == "M", "a container of a model")
    check(CloudContainer(name: "M", managedObjectModel: model).name == "M", "a cloud container")
    check(Coordinator(managedObjectModel: model).persistentStores.isEmpty, "a coordinator")
    check(NSPersistentStoreCoordinator().managedObjectModel.entities.isEmpty, "no model")
    check(Description(url: url).url == url, "a description")
    let request = Request(entityName: "E")
    request.sortDescriptors = []
    let controller = Controller(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
    check(controller.fetchedObjects == nil, "a results controller")
    check(Policy(merge: .overwriteMergePolicyType).mergeType == .overwriteMergePolicyType, "policy")
    check(Expression(expressionType: .evaluatedObject).description == "SELF", "an expression")
    check(Expression(forKeyPath: "a.b").keyPath == "a.b", "an expression of a key path")
    check(Expression(forConstantValue: 1).constantValue as? Int == 1, "a constant")
    check(Order(key: "a", ascending: true).key == "a", "a sort descriptor")
    check(Order(key: "a", ascending: true, selector: nil).selector != nil, "a selector")
    check(Order(key: "a", ascending: false) { _, _ in .orderedSame }.selector == nil, "comparator")
    check(Entity().name == nil && Attribute().name.isEmpty && Derived().name.isEmpty, "entities")
    check(Relationship().minCount == 0, "a relationship")
    check(Fetched().name.isEmpty && Computed().name.isEmpty, "properties")
    check(Index(name: "i", elements: nil).name == "i", "an index")
    let element = IndexElement(property: Attribute(), collationType: .binary)
    check(element.collationType == .binary, "an element of an index")
    check(Predicate(format: "a == 1").predicateFormat == "a == 1", "a predicate")
    check(Predicate(value: true).evaluate(with: nil), "a constant predicate")
    check(Predicate { _, _ in true }.evaluate(with: nil), "a block predicate")
    check(!NSPredicate().evaluate(with: nil) && !Predicate().evaluate(with: nil), "no format")
    let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "E")
    check(Deletion(fetchRequest: fetch).resultType == .resultTypeStatusOnly, "a batch delete")
    check(Deletion(objectIDs: []).fetchRequest.entityName == nil, "a batch delete of ids")
    check(Insertion(entityName: "E", objects: []).entityName == "E", "a batch insert")
    check(Insertion(entity: Entity(), objects: []).entityName.isEmpty, "a batch insert")
    check(
        Insertion(entityName: "E") { (_: NSMutableDictionary) in true }.dictionaryHandler != nil,
        "a batch insert with a handler")
    check(Update(entityName: "E").entityName == "E", "a batch update")
    check(Update(entity: Entity()).entityName.isEmpty, "a batch update")
    check(Model(contentsOf: url) == nil && Model().entities.isEmpty, "a model")
    check(Model(byMerging: [model]) != nil, "a merged model")
    check(Manager(sourceModel: model, destinationModel: model).sourceModel == model, "a manager")
    _ = MigrationPolicy()
    check(Mapping().entityMappings.isEmpty && EntityMapping().sourceEntityName == nil, "mappings")
    check(PropertyMapping().name == nil && Stage().label == "Stage", "parts of migrations")
    check(HistoryRequest().resultType == .transactionsAndChanges, "a history request")
    check(DeleteResult().result as? Int == 1 && InsertResult().result as? Int == 2, "results")
    check(UpdateResult().result as? Int == 3 && HistoryResult().result is [Any], "results")
    check(Transaction().author == "me" && Change().changeID == 4, "history")
    predicates()
}

/// Subclasses of predicates that are created from formats, and the class of their copies.
func predicates() {
    check(Condition(format: "SELF == %@", 1 as NSNumber).evaluate(with: 1), "a condition")
    check(!Condition(format: "SELF == 1 AND SELF == 2").evaluate(with: 1), "a joined condition")
    check(Condition(format: "TRUEPREDICATE").evaluate(with: nil), "a constant condition")
    let bound = Condition(format: "SELF == $x").withSubstitutionVariables(["x": 3])
    check(bound.evaluate(with: 3) && type(of: bound) == Condition.self, "a bound condition")
    let both: any TypedPredicate = Both(andPredicateWithSubpredicates: [
        Condition(value: true), Comparing(format: "SELF > 1"),
    ])
    check(both.evaluate(with: 2) && !both.evaluate(with: 1), "a compound predicate")
    let comparing = Comparing(
        leftExpression: .init(forKeyPath: "a"), rightExpression: .init(forConstantValue: 1),
        modifier: .direct, type: .equalTo)
    check(comparing.predicateFormat == "a == 1", "a comparison")
    check(comparing.options == .caseInsensitive, "an overridden member")
    check(!Never(value: true).evaluate(with: nil), "an overridden evaluation")
}
