import CoreDataModel

/// A model that cannot change any more, with its layout and the entity at each index.
///
/// Made when a model is bound to its classes; coordinators and stores know no more of a model.
package final class FrozenModel {
    package let model: NSManagedObjectModel
    package let layout: ModelLayout
    private let descriptions: [NSEntityDescription]

    /// Freezes a model.
    ///
    /// - Throws: 134020 with all findings where the model is not valid.
    package init(_ model: NSManagedObjectModel) throws(CoreDataError) {
        self.model = model
        do { try model.freeze() } catch { throw CoreDataError(.invalidArgument, error.description) }
        layout = model.layout
        descriptions = layout.entities.map { model.entity(at: $0.index) }
    }

    package var entities: [NSEntityDescription] { descriptions }

    package func description(at index: Int) -> NSEntityDescription { descriptions[index] }

    package func entity(named name: String) -> NSEntityDescription? {
        layout.entity(named: name).map { descriptions[$0.index] }
    }
}

// `@unchecked Sendable` because all fields are immutable and the model is frozen before they are
// set.
extension FrozenModel: @unchecked Sendable {}
