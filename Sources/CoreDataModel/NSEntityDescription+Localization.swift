/// The texts of a model's `localizationDictionary`.
extension NSEntityDescription {
    /// The localized name of a property: the value of `Property/NAME/Entity/ENTITY` for the entity
    /// or its nearest superentity, or else the value of `Property/NAME`.
    package func localizedName(ofProperty name: String) -> String? {
        guard let texts = ownerModel?.localizationDictionary else { return nil }
        var entity: NSEntityDescription? = self
        while let current = entity {
            if let text = texts["Property/\(name)/Entity/\(current.name ?? "")"] { return text }
            entity = current.superentity
        }
        return texts["Property/\(name)"]
    }

    /// The localized form of an error message in the model: the value of `ErrorString/TEXT`.
    package func localizedErrorText(_ text: String) -> String? {
        ownerModel?.localizationDictionary?["ErrorString/\(text)"]
    }
}
