/// An attribute or to-one relationship with a slot: a property of an entity, or an element of a
/// composite attribute.
struct SlotProperty {
    /// The property's name; for an element the path to it, `location.latitude`.
    let name: String
    let property: NSPropertyDescription
    let isTransient: Bool
    let isOptional: Bool

    /// The slots of a property: one, or those of all elements.
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
                // If the composite value itself may be nil, its elements may be nil, too.
                isOptional: isOptional || element.isOptional
            ).elements
        }
    }
}
