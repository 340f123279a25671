/// The attributes and relationships of the mapping editor's objects that are understood, by type.
///
/// Asked by the reader of an `.xcmappingmodel`: what a mapping says and nobody understands must not
/// get lost.
enum EditorAttributes {
    /// The first name in an object that is not understood, if there is one. The user info of a
    /// mapping changes nothing of a migration, and neither does the name of a model's file.
    static func unknown(in object: EditorObject) -> String? {
        guard let known = byType[object.type] else { return nil }
        let names = Array(object.values.keys) + Array(object.data.keys)
        return (names + Array(object.references.keys)).sorted().first { !known.contains($0) }
    }

    private static let property: Set = [
        "name", "autogenerateexpression", "valueexpressiondata", "userinfodata", "entitymapping",
    ]

    private static let byType: [String: Set<String>] = [
        "XDDEVMAPPINGMODEL": [
            "sourcemodelpath", "sourcemodeldata", "destinationmodelpath", "destinationmodeldata",
            "userinfodata", "entitymappings",
        ],
        "XDDEVENTITYMAPPING": [
            "name", "mappingnumber", "mappingtypename", "sourcename", "destinationname",
            "autogenerateexpression", "migrationpolicyclassname", "sourceexpressiondata",
            "sourcefilterpredicatestring", "userinfodata", "mappingmodel", "attributemappings",
            "relationshipmappings",
        ],
        "XDDEVATTRIBUTEMAPPING": property,
        "XDDEVRELATIONSHIPMAPPING": property.union(["sourcekeypath", "sourcemappingname"]),
    ]
}
