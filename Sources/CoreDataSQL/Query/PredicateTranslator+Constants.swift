import CoreDataModel
import CoreDataPredicate
import Foundation

/// Converts constants to the form in which the compared column stores its values.
extension PredicateTranslator {
    /// - Parameter kind: the kind of the other side of the comparison; nil if that side is
    ///   computed.
    package func binding(_ operand: Operand, for kind: ValueKind?) throws(QueryRefusal) -> Binding {
        if dialect.isTyped, let binding = try typedBinding(operand, for: kind) { return binding }
        switch operand {
        case .null: return .null
        case .integer(let integer): return try self.integer(integer, for: kind)
        case .double(let double): return .double(double)
        case .date(let seconds): return .double(seconds)
        case .decimal(let decimal): return .decimal(decimal)
        case .string(let text):
            // The UUID may also be given as text.
            if kind == .uuid, let uuid = UUID(uuidString: text) { return .uuid(uuid) }
            return .text(text)
        case .data(let data): return .blob(data)
        case .uuid(let uuid): return kind == .string ? .text(uuid.uuidString) : .uuid(uuid)
        case .url(let url): return .text(url.absoluteString)
        case .collection:
            throw beyondSQL("Unsupported constant: a collection instead of a value")
        case .object(let object):
            if let row = object as? any RowIdentifying { return .integer(row.rowKey) }
            throw refuse("Unsupported constant of type \(type(of: object)) in a predicate")
        }
    }

    private func integer(_ integer: Int64, for kind: ValueKind?) throws(QueryRefusal) -> Binding {
        guard kind == .boolean, dialect.hasBooleans else { return .integer(integer) }
        guard integer == 0 || integer == 1 else {
            throw beyondSQL("Unsupported constant \(integer) instead of a boolean")
        }
        return .boolean(integer == 1)
    }

    /// The key of an object constant. Nil if the object is in another table or was never saved; no
    /// row refers to it then.
    package func key(_ operand: Operand, destination: EntityLayout) throws(QueryRefusal) -> Int64? {
        switch operand {
        case .object(let object):
            guard let row = object as? any RowIdentifying else {
                throw refuse("Unsupported constant of type \(type(of: object)) for an object")
            }
            guard layout.entities.indices.contains(row.rowEntity),
                layout[row.rowEntity].rootIndex == destination.rootIndex, row.rowKey >= 0
            else { return nil }
            return row.rowKey
        // A number does not represent an object, even if the number is the key of a row.
        case .integer, .double, .decimal: return nil
        default: throw refuse("Unsupported constant \(operand) instead of an object")
        }
    }

    /// The entity number of an entity description. For any other value 0, which no entity has.
    func entityNumber(_ operand: Operand) -> Int64 {
        guard case .object(let object) = operand,
            let name = (object as? NSEntityDescription)?.name,
            let entity = layout.entity(named: name)
        else { return 0 }
        return schema.numbers.number(of: entity.index)
    }

    /// A constant as a parameter that is compared with a column or a computed value.
    package func parameter(_ operand: Operand, against column: PathColumn?) throws(QueryRefusal)
        -> Fragment
    {
        if column?.isEntity == true, !operand.isNull {
            return .parameter(.integer(entityNumber(operand)))
        }
        if let destination = column?.destination, !operand.isNull {
            return .parameter(
                // No row has the key 0, so every object differs from the constant.
                .integer(try key(operand, destination: destination) ?? 0))
        }
        return .parameter(try binding(operand, for: column?.kind))
    }
}
