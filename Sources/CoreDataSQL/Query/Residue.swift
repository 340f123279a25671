import CoreDataModel
import CoreDataPredicate

/// Splits a request into the part that SQL can express and the part that it cannot, which is the
/// residue.
///
/// The predicate is a list of conditions joined by AND. SQL finds candidates with the conditions
/// that it can express. The other conditions are tested in memory, on the candidates' rows. Then
/// the order, the limit and the offset are applied, by SQL if it can express the order. A store
/// creates a residue only if a builder has rejected a request.
package struct Residue {
    package let candidates: SelectBuilder
    /// The condition that the candidates must satisfy; nil if only the order is evaluated in
    /// memory.
    package let predicate: NSPredicate?
    /// The descriptors by which the matching rows are sorted in memory; empty if SQL sorts them.
    package let sortDescriptors: [NSSortDescriptor]
    private let builder: SelectBuilder

    /// - Returns: nil if neither the predicate nor the order caused the rejection.
    /// - Throws: an error if the request must not be evaluated in memory either.
    package init?(of builder: SelectBuilder) throws(QueryRefusal) {
        var said: [NSPredicate] = []
        var rest: [NSPredicate] = []
        let predicate = builder.plan.predicate.map { [$0] } ?? []
        for condition in PredicateTranslator.flattened(predicate, .and) {
            let translator = builder.translator()
            do throws(QueryRefusal) {
                _ = try translator.translate(condition, isRequired: true)
                said.append(condition)
            } catch {
                guard error.isBeyondSQL, condition.depth <= Self.depthMax else { throw error }
                rest.append(condition)
            }
        }
        sortDescriptors = try Self.unsorted(builder)
        if rest.isEmpty, sortDescriptors.isEmpty { return nil }
        var plan = FetchPlan(
            entity: builder.plan.entity, includesSubentities: builder.plan.includesSubentities)
        if !said.isEmpty { plan.predicate = NSCompoundPredicate(type: .and, subpredicates: said) }
        candidates = SelectBuilder(plan: plan, schema: builder.schema)
        self.predicate =
            rest.isEmpty ? nil : NSCompoundPredicate(type: .and, subpredicates: rest)
        self.builder = builder
    }

    /// The maximum depth of a condition. Deeper ones would be evaluated without the three-valued
    /// logic of SQL.
    private static let depthMax: Int32 = 190

    /// The sort descriptors if SQL cannot express their order; otherwise empty.
    private static func unsorted(
        _ builder: SelectBuilder
    ) throws(QueryRefusal) -> [NSSortDescriptor] {
        let descriptors = builder.plan.sortDescriptors
        do throws(QueryRefusal) {
            _ = try builder.translator().orderBy(descriptors)
            return []
        } catch {
            guard error.isBeyondSQL else { throw error }
            return descriptors
        }
    }

    /// The request's statement, restricted to the rows that passed the test.
    ///
    /// - Parameter keys: the keys of these rows, in the order of ``sortDescriptors``.
    package func builder(passing keys: ContiguousArray<Int64>) -> SelectBuilder {
        var builder = builder
        builder.passing = PassingRows(
            keys: sortDescriptors.isEmpty ? keys : page(of: keys),
            isOrdered: !sortDescriptors.isEmpty)
        return builder
    }

    /// The keys that remain after the offset and the limit are applied.
    private func page(of keys: ContiguousArray<Int64>) -> ContiguousArray<Int64> {
        let plan = builder.plan
        let rest = keys.dropFirst(plan.offset)
        return ContiguousArray(plan.limit > 0 ? rest.prefix(plan.limit) : rest)
    }
}
