import CoreDataPredicate

/// Lets predicates of fetched properties read their own description, as in
/// `$FETCHED_PROPERTY.userInfo.limit`.
extension NSPropertyDescription: KeyValueCodable {
    /// Reads a setting of the description by its Objective-C name.
    public func predicateValue(forKey key: String) throws(PredicateEvaluationError) -> Any? {
        switch key {
        case "name": return name
        case "userInfo": return userInfo
        case "optional", "isOptional": return isOptional
        case "transient", "isTransient": return isTransient
        case "renamingIdentifier": return renamingIdentifier
        case "versionHashModifier": return versionHashModifier
        default:
            throw PredicateEvaluationError(
                "a property description has no value for the key '\(key)'; use name, userInfo,"
                    + " optional, transient, renamingIdentifier or versionHashModifier")
        }
    }
}
