import CoreDataModel
import CoreDataPredicate

/// What SQL cannot say of a predicate, and the rest.
///
/// A predicate is a list of conditions joined by AND. Those that SQL can say find the candidates;
/// the others, the residue, are tested on the candidates' rows in memory. Order, limit and offset
/// come after the test. Made by `SQLiteStore` where a predicate was refused as a whole.
struct Residue {
    /// What finds the candidates.
    let candidates: SelectBuilder
    /// What they are tested for.
    let predicate: NSPredicate
    private let builder: SelectBuilder

    /// - Returns: nil where the predicate was not the reason of the refusal.
    /// - Throws: where memory could not say it either, or a store must not.
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

    /// Deeper ones are evaluated without SQL's notion of missing values.
    private static let depthMax: Int32 = 190

    /// What finds the rows of the request, once it is known which pass.
    func builder(passing: ContiguousArray<Int64>) -> SelectBuilder {
        var builder = builder
        builder.passing = passing
        return builder
    }
}
