import CoreDataModel
import CoreDataPredicate

/// Divides a predicate into the conditions that SQL can express, and those that it cannot express.
///
/// A predicate is a list of conditions joined by AND. Those that SQL can express find the
/// candidates; the others, the residue, are tested on the candidates' rows in memory. Order, limit
/// and offset are applied after the test. `SQLiteStore` creates it if a predicate was rejected as a
/// whole.
struct Residue {
    /// Finds the candidates.
    let candidates: SelectBuilder
    /// The condition that the candidates are tested for.
    let predicate: NSPredicate
    private let builder: SelectBuilder

    /// - Returns: nil if the predicate was not the reason for the rejection.
    /// - Throws: an error if the predicate cannot be evaluated in memory either, or must not be
    ///   evaluated by a store.
    init?(of builder: SelectBuilder) throws(CoreDataError) {
        guard let predicate = builder.plan.predicate else { return nil }
        var said: [NSPredicate] = []
        var rest: [NSPredicate] = []
        for condition in PredicateTranslator.flattened([predicate], .and) {
            let translator = builder.translator()
            do throws(CoreDataError) {
                _ = try translator.translate(condition, isRequired: true)
                said.append(condition)
            } catch {
                guard translator.isBeyondSQL, condition.depth <= Self.depthMax else { throw error }
                rest.append(condition)
            }
        }
        if rest.isEmpty { return nil }
        _ = try builder.translator().orderBy(builder.plan.sortDescriptors)
        var plan = FetchPlan(
            entity: builder.plan.entity, includesSubentities: builder.plan.includesSubentities)
        if !said.isEmpty { plan.predicate = NSCompoundPredicate(type: .and, subpredicates: said) }
        candidates = SelectBuilder(
            plan: plan, layout: builder.layout, numbers: builder.numbers, trees: builder.trees)
        self.predicate = NSCompoundPredicate(type: .and, subpredicates: rest)
        self.builder = builder
    }

    /// Deeper predicates are evaluated without SQL's notion of missing values.
    private static let depthMax: Int32 = 190

    /// The request's statement, with the keys of the rows that passed.
    func builder(passing: ContiguousArray<Int64>) -> SelectBuilder {
        var builder = builder
        builder.passing = passing
        return builder
    }
}
