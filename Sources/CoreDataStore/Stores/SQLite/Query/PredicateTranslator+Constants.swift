import CoreDataModel
import CoreDataPredicate

/// Binding constants the way the column that they meet stores its values.
extension PredicateTranslator {
    /// - Parameter kind: what the other side holds; nil where it is computed.
    package func binding(_ operand: Operand, for kind: ValueKind?) throws(CoreDataError) -> Binding
    {
        switch operand {
        case .null: return .null
        case .integer(let integer): return .integer(integer)
        case .double(let double): return .double(double)
        case .date(let seconds): return .double(seconds)
        case .decimal(let decimal):
            return .double(NSDecimalNumber(decimal: decimal).doubleValue)
        case .string(let text):
            // A UUID is often at hand as text only.
            if kind == .uuid, let uuid = UUID(uuidString: text) { return Self.blob(uuid) }
            return .text(text)
        case .data(let data): return .blob(data)
        case .uuid(let uuid): return kind == .string ? .text(uuid.uuidString) : Self.blob(uuid)
        case .url(let url): return .text(url.absoluteString)
        case .collection:
            throw beyondSQL("Unsupported constant: a collection where a value is wanted")
        case .object(let object):
            if let identified = object as? any ObjectIdentifying {
                return .integer(identified.objectKey.key)
            }
            throw refuse("Unsupported constant of type \(type(of: object)) in a predicate")
        }
    }

    private static func blob(_ uuid: UUID) -> Binding {
        .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
    }

    /// The key of an object constant; nil when it cannot be what a column refers to: it is of
    /// another table, or was never saved.
    package func key(_ operand: Operand, destination: EntityLayout) throws(CoreDataError) -> Int64?
    {
        switch operand {
        case .object(let object):
            guard let key = (object as? any ObjectIdentifying)?.objectKey else {
                throw refuse("Unsupported constant of type \(type(of: object)) for an object")
            }
            guard Int(key.entity) < layout.entities.count, key.entity >= 0,
                layout[Int(key.entity)].rootIndex == destination.rootIndex, !key.isTemporary
            else { return nil }
            return key.key
        // A number is not an object, also where a row has it as its key.
        case .integer, .double, .decimal: return nil
        default: throw refuse("Unsupported constant \(operand) where an object is wanted")
        }
    }

    /// The number of an entity description; 0, which no row has, for anything else.
    func entityNumber(_ operand: Operand) -> Int64 {
        guard case .object(let object) = operand,
            let name = (object as? NSEntityDescription)?.name,
            let entity = layout.entity(named: name)
        else { return 0 }
        return numbers.number(of: entity.index)
    }

    /// A constant as a parameter for one side of a comparison.
    package func parameter(_ operand: Operand, against column: PathColumn?) throws(CoreDataError)
        -> Fragment
    {
        if column?.isEntity == true, !operand.isNull {
            return .parameter(.integer(entityNumber(operand)))
        }
        if let destination = column?.destination, !operand.isNull {
            return .parameter(
                // No row has the key 0: nothing is equal to it, and every object differs from it.
                .integer(try key(operand, destination: destination) ?? 0))
        }
        return .parameter(try binding(operand, for: column?.kind))
    }
}
