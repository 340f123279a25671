import CoreData

// Declarations whose names in lists of symbols differ from those in sources. Their labels differ,
// they are global, or they belong to a superclass. Both clients compile this file.

enum Surface {
    static func run() {
        let (left, right) = (NSExpression(forKeyPath: "a"), NSExpression(forConstantValue: 1))
        let comparison = NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: .direct, type: .equalTo,
            options: [])
        check(comparison.predicateFormat == "a == 1", "a comparison")
        let custom = NSComparisonPredicate(
            leftExpression: left, rightExpression: right, customSelector: Selector("isEqual:"))
        check(custom.customSelector == Selector("isEqual:"), "a comparison by a selector")
        let compound = NSCompoundPredicate(type: .or, subpredicates: [comparison, comparison])
        check(compound.compoundPredicateType == .or, "a compound")
        let sets = [
            NSExpression(forUnionSet: left, with: right),
            NSExpression(forIntersectSet: left, with: right),
            NSExpression(forMinusSet: left, with: right),
        ]
        check(
            sets.map(\.expressionType) == [.unionSet, .intersectSet, .minusSet], "sets")
        let subquery = NSExpression(
            forSubquery: left, usingIteratorVariable: "x", predicate: comparison)
        check(subquery.expressionType == .subquery, "a subquery")
        let block = NSExpression(block: { _, _, _ in 1 }, arguments: nil)
        check(block.expressionValue(with: nil, context: nil) as? Int == 1, "a block")
        let conditional = NSExpression(
            forConditional: comparison, trueExpression: left, falseExpression: right)
        check(conditional.expressionType == .conditional, "a choice")
        check(NSFetchRequestExpressionType.rawValue == 50, "the type of an expression that fetches")

        let descriptor = NSSortDescriptor(key: "self", ascending: true)
        check(descriptor.compare(1 as NSNumber, to: 2 as NSNumber) == .orderedAscending, "an order")

        let policies: [AnyObject] = [
            NSErrorMergePolicy, NSMergeByPropertyStoreTrumpMergePolicy,
            NSMergeByPropertyObjectTrumpMergePolicy, NSOverwriteMergePolicy,
            NSRollbackMergePolicy,
        ]
        check(
            policies.compactMap { ($0 as? NSMergePolicy)?.mergeType.rawValue } == [0, 1, 2, 3, 4],
            "the policies by their older names")

        let directory: URL = NSPersistentContainer.defaultDirectoryURL
        check(
            directory.path == NSPersistentContainer.defaultDirectoryURL().path,
            "the directory is a property and a method")
        let manager: AnyClass = NSPersistentStore.migrationManagerClass()
        check(manager is NSMigrationManager.Type, "the class of migration managers")
    }

    /// Swift adds the subscript `object["key"]` to key-value coding.
    static func useSubscript(_ object: NSManagedObject) {
        object["title"] = "by subscript"
        check(object["title"] as? String == "by subscript", "a subscript")
    }
}
