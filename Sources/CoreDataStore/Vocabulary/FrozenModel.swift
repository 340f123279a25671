import CoreDataModel

/// An immutable model, with its layout and the entity at each index.
///
/// Created when a model is bound to its classes. Coordinators and stores use a model only through
/// this type.
package final class FrozenModel {
    package let model: NSManagedObjectModel
    package let layout: ModelLayout
    package let entities: [NSEntityDescription]
    /// The reason why a store cannot be opened with the model; nil for a valid model.
    package let refusal: CoreDataError?

    /// Freezes a model.
    ///
    /// - Throws: an error with all problems if the model is not valid.
    package init(_ model: NSManagedObjectModel) throws(CoreDataError) {
        self.model = model
        do { try model.freeze() } catch { throw CoreDataError(.invalidArgument, error.description) }
        layout = model.layout
        entities = layout.entities.map { model.entity(at: $0.index) }
        refusal = nil
    }

    /// Creates an instance without entities, for a model that cannot be used.
    package init(refused model: NSManagedObjectModel, _ refusal: CoreDataError) {
        self.model = model
        self.refusal = refusal
        layout = ModelLayout(entities: [])
        entities = []
    }

    package func description(at index: Int) -> NSEntityDescription { entities[index] }

    package func entity(named name: String) -> NSEntityDescription? {
        layout.entity(named: name).map { entities[$0.index] }
    }
}

// `@unchecked Sendable` because all fields are immutable and the model is frozen before they are
// set.
extension FrozenModel: @unchecked Sendable {}
