/// The supported XML attributes of a `contents` file, by element.
///
/// The assembler reports every other attribute, so that nothing in a model is lost silently. The
/// attributes of the root and of the diagram's layout are not checked.
///
/// The following attributes are accepted without an effect: `syncable` belongs to Sync Services,
/// `usedWithCloudKit` and `allowsCloudEncryption` to CloudKit, and
/// `coreSpotlightDisplayNameExpression` to Spotlight. `customHash` replaces a version hash that
/// only Apple's compiler computes, and the type of a `fetchIndexElement`'s expression follows from
/// the expression.
///
/// Sources: semantics.md §11.1, models of Xcode 4.2 to 26 in public repositories, and the keys of
/// the editor's own archive in `.xcmappingmodel` files.
enum KnownAttributes {
    static func unknown(in element: XMLElement) -> String? {
        guard let known = byElement[element.name] else { return nil }
        return element.attributes.keys.sorted().first { !known.contains($0) }
    }

    static func names(of element: String) -> [String] { (byElement[element] ?? []).sorted() }

    private static let property: Set = [
        "name", "optional", "transient", "syncable", "elementID", "renamingIdentifier",
        "versionHashModifier", "indexed", "spotlightIndexingEnabled", "storedInTruthFile",
    ]

    private static let request: Set = [
        "name", "entity", "predicateString", "resultType", "fetchLimit", "fetchBatchSize",
        "includeSubentities", "includesSubentities", "includePropertyValues",
        "includesPropertyValues", "includePendingChanges", "includesPendingChanges",
        "returnObjectsAsFaults", "returnsObjectsAsFaults", "returnDistinctResults",
        "returnsDistinctResults", "syncable",
    ]

    private static let byElement: [String: Set<String>] = [
        "entity": [
            "name", "representedClassName", "isAbstract", "parentEntity", "syncable",
            "codeGenerationType", "elementID", "renamingIdentifier", "versionHashModifier",
            "customHash", "coreSpotlightDisplayNameExpression",
        ],
        "attribute": property.union([
            "attributeType", "defaultValueString", "defaultDateTimeInterval", "minValueString",
            "maxValueString", "minDateTimeInterval", "maxDateTimeInterval",
            "regularExpressionString", "usesScalarValueType", "valueTransformerName",
            "customClassName", "allowsExternalBinaryDataStorage", "preserveAfterDeletion",
            "allowsCloudEncryption", "ephemeral", "derived", "derivationExpression", "composite",
        ]),
        "relationship": property.union([
            "toMany", "ordered", "minCount", "maxCount", "deletionRule", "destinationEntity",
            "inverseName", "inverseEntity", "preserveAfterDeletion",
        ]),
        "fetchedProperty": property,
        "fetchRequest": request,
        "fetchIndex": ["name", "partialIndexPredicate"],
        "fetchIndexElement": ["property", "expression", "expressionType", "type", "order"],
        "index": ["value"],
        "constraint": ["value"],
        "entry": ["key", "value"],
        "configuration": ["name", "usedWithCloudKit"],
        "memberEntity": ["name"],
        "composite": ["name", "elementID", "versionHashModifier"],
    ]
}
