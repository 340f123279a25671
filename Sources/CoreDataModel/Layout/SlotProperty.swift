/// An attribute or to-one relationship with a slot: a property of an entity, or an element of a
/// composite attribute.
struct SlotProperty {
    /// The property's name. For an element of a composite attribute, the path to the element
    /// (`location.latitude`).
    let name: String
    let property: NSPropertyDescription
    let isTransient: Bool
    let isOptional: Bool

    static func slots(of property: NSPropertyDescription) -> [SlotProperty] {
        let own = SlotProperty(
            name: property.name, property: property, isTransient: property.isTransient,
            isOptional: property.isOptional)
        return own.elements
    }

    private var elements: [SlotProperty] {
        guard let composite = property as? NSCompositeAttributeDescription else { return [self] }
        return composite.elements.flatMap { element in
            SlotProperty(
                name: "\(name).\(element.name)", property: element, isTransient: isTransient,
                // The elements of an optional composite attribute are optional, too.
                isOptional: isOptional || element.isOptional
            ).elements
        }
    }
}
