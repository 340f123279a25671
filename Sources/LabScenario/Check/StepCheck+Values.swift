extension StepCheck {
    func check(_ operand: StepValue, _ names: [String: Binding]) {
        switch operand {
        case .literal, .parameter: break
        case .reference(let object):
            if object.context == nil {
                require(object.name, names)
            } else {
                checkObject(object, names)
            }
        case .path(let path): _ = checkPath(path, names)
        case .sum(let left, let right), .difference(let left, let right),
            .product(let left, let right):
            check(left, names)
            check(right, names)
        }
    }

    func check(
        _ operand: StepValue, fits property: PropertyShape, _ names: [String: Binding]
    ) {
        check(operand, names)
        switch (property.kind, operand) {
        case (.attribute(let type, _), .literal(let literal)):
            check(literal, fits: type, property)
        case (.attribute(let type, _), .parameter(let name)):
            let axis = scenario.matrix.first { $0.name.value == name.value }
            for value in axis?.values ?? [] { check(value, fits: type, property) }
        case (.attribute(let type, _), .reference(let object)):
            if case .object = names[object.name.value] {
                problems.add(
                    "'\(object.name.value)' is an object,"
                        + " but '\(property.name.value)' is an attribute",
                    at: object.name.position, instead: "write \(type.example)")
            }
        case (.relationship(let relationship), .reference(let object)):
            if relationship.arity != .one { return tooMany(property, object.name.position) }
            if case .object(let entity?) = names[object.name.value] {
                check(
                    entity, at: object.name.position, fits: relationship,
                    key: property.name.value)
            }
        case (.relationship(let relationship), .literal(let literal)):
            if relationship.arity != .one { return tooMany(property, literal.position) }
            if literal.value != .null {
                problems.add(
                    "'\(property.name.value)' is a relationship", at: literal.position,
                    instead: "name an object, or write nil")
            }
        default: break
        }
    }

    func tooMany(_ property: PropertyShape, _ position: SourcePosition) {
        problems.add(
            "'\(property.name.value)' has many members", at: position,
            instead: "use 'relate OBJECT.\(property.name.value) to OBJECT'")
    }

    func check(
        _ literal: Located<Literal>, fits type: AttributeType, _ property: PropertyShape
    ) {
        if type.accepts(literal.value) { return }
        problems.add(
            "\(literal.value) does not fit '\(property.name.value)',"
                + " whose type is \(type.rawValue)",
            at: literal.position, instead: "write \(type.example)")
    }

    func check(_ query: Query, names: [String: Binding]) {
        guard let entity = requireEntity(query.entity) else { return }
        for sort in query.sort {
            let first = sort.keyPath.value.split(separator: ".").first.map(String.init) ?? ""
            _ = requireProperty(Located(first, at: sort.keyPath.position), of: entity.name.value)
        }
        let parameters = scenario.matrix.map(\.name.value)
        for variable in query.predicate?.variables ?? []
        where !parameters.contains(variable.value)
            && query.predicate?.constants[variable.value] == nil
        {
            require(variable, names)
        }
    }
}
