/// What can be described and read, but not stored by the engine yet.
///
/// The one place that says so: a type leaves this file when the engine stores it.
enum UnsupportedFeatures {
    /// Why the attribute cannot be used, or nil.
    static func reason(_ attribute: NSAttributeDescription) -> String? {
        switch attribute.attributeType {
        case .compositeAttributeType:
            return "composite attributes are not supported yet; "
                + "use one attribute for each element."
        case .objectIDAttributeType:
            return "attributes that hold object ids are not supported yet; "
                + "use a URI attribute that holds the id's uriRepresentation()."
        default: break
        }
        return nil
    }

    /// Why the index cannot be made, or nil.
    static func reason(_ index: NSFetchIndexDescription) -> String? {
        if index.partialIndexPredicate != nil {
            return "index \"\(index.name)\" has a partial index predicate, which is not "
                + "supported yet; leave the predicate out."
        }
        if index.elements.contains(where: { $0.collationType == .rTree }) {
            return "index \"\(index.name)\" is an R-tree, which is not supported yet; "
                + "use the type binary."
        }
        return nil
    }
}
