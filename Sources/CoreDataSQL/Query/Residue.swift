import CoreDataModel
import CoreDataPredicate

/// The part of a request that SQL cannot express, and the rest.
///
/// A predicate is a list of conditions joined by AND. Those that SQL can express find the
/// candidates; the others, the residue, are tested on the candidates' rows in memory. Order, limit
/// and offset are applied after the test: by SQL, or in memory if SQL cannot express the order. A
/// store creates it if a builder has rejected a request.
package struct Residue {
    /// Finds the candidates.
    package let candidates: SelectBuilder
    /// The condition that the candidates are tested for; nil if only the order is a residue.
    package let predicate: NSPredicate?
    /// The order in which memory sorts the rows that pass; empty if SQL does.
    package let sortDescriptors: [NSSortDescriptor]
    private let builder: SelectBuilder

    /// - Returns: nil if neither the predicate nor the order was the reason for the rejection.
    /// - Throws: an error if memory cannot evaluate it either, or a store must not.
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

    /// Deeper predicates are evaluated without SQL's notion of missing values.
    private static let depthMax: Int32 = 190

    /// The sort descriptors if SQL cannot express their order.
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

    /// The request's statement, with the keys of the rows that passed.
    ///
    /// - Parameter keys: sorted by ``sortDescriptors``.
    package func builder(passing keys: ContiguousArray<Int64>) -> SelectBuilder {
        var builder = builder
        builder.passing = PassingRows(
            keys: sortDescriptors.isEmpty ? keys : page(of: keys),
            isOrdered: !sortDescriptors.isEmpty)
        return builder
    }

    /// The keys that offset and limit leave.
    private func page(of keys: ContiguousArray<Int64>) -> ContiguousArray<Int64> {
        let plan = builder.plan
        let rest = keys.dropFirst(plan.offset)
        return ContiguousArray(plan.limit > 0 ? rest.prefix(plan.limit) : rest)
    }
}
