/// The attributes and relationships that objects of Xcode's mapping editor may have, by object
/// type.
///
/// With this table, unknown parts of an `.xcmappingmodel` are rejected and not ignored.
enum EditorAttributes {
    /// The first unknown attribute or relationship of an object, or nil. Ignores the user info of a
    /// mapping and the file name of a model, which do not affect a migration.
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
