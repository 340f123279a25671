import CoreDataModel
import CoreDataPredicate

/// Converts sort descriptors to the terms of an ORDER BY clause.
extension PredicateTranslator {
    /// The sort terms, separated by commas; nil without descriptors.
    func orderBy(_ descriptors: [NSSortDescriptor]) throws(QueryRefusal) -> String? {
        if descriptors.isEmpty { return nil }
        var terms: [String] = []
        for descriptor in descriptors { terms.append(try term(descriptor)) }
        return terms.joined(separator: ", ")
    }

    private func term(_ descriptor: NSSortDescriptor) throws(QueryRefusal) -> String {
        guard descriptor.customComparator == nil, let selector = descriptor.selector else {
            throw refuse("unsupported NSSortDescriptor (comparator blocks are not supported)")
        }
        guard let order = StringOrder(selector: selector.name) else {
            throw refuse("unsupported NSSortDescriptor selector: \(selector.name)")
        }
        if descriptor.keys.contains(where: { $0.hasPrefix("@") }) {
            throw refuse("unsupported NSSortDescriptor key: \(descriptor.key ?? "")")
        }
        guard
            case .column(let column) = try resolve(
                descriptor.keys.first == "self" ? [] : descriptor.keys[...], in: root,
                isRequired: false)
        else { throw refuse("to-many key not allowed here") }
        let isText = column.kind == .string || column.kind == .uri
        guard let collation = isText ? dialect.collation(order) : "" else {
            throw beyondSQL("unsupported NSSortDescriptor selector: \(selector.name)")
        }
        let direction = dialect.direction(isAscending: descriptor.ascending)
        let term = column.text + collation + direction
        guard let (before, after) = column.beginning else { return term }
        return "\(before)\(column.text)\(after)\(direction), \(term)"
    }
}
