/// The texts of a model's `localizationDictionary`.
extension NSEntityDescription {
    /// The name of a property as people read it: that of `Property/NAME/Entity/ENTITY`, for the
    /// entity or the nearest of those above it, or that of `Property/NAME`.
    package func localizedName(ofProperty name: String) -> String? {
        guard let texts = ownerModel?.localizationDictionary else { return nil }
        var entity: NSEntityDescription? = self
        while let current = entity {
            if let text = texts["Property/\(name)/Entity/\(current.name ?? "")"] { return text }
            entity = current.superentity
        }
        return texts["Property/\(name)"]
    }

    /// A model's own error text as people read it: that of `ErrorString/TEXT`.
    package func localizedErrorText(_ text: String) -> String? {
        ownerModel?.localizationDictionary?["ErrorString/\(text)"]
    }
}
