import CoreDataModel
import CoreDataTrace
import Foundation

/// The parts of a coordinator other than its stores: the frozen model, and the object that opens
/// stores.
package struct CoordinatorParts {
    let model: FrozenModel
    let opening: any BackendOpening

    package init(model: FrozenModel, opening: any BackendOpening) {
        self.model = model
        self.opening = opening
    }

    /// The parts for a model, from the layer that knows classes of objects and migrations.
    ///
    /// That layer is above this one, and a subclass of the coordinator needs an initialiser in the
    /// class itself, so the provider is looked up by name.
    static func made(for model: NSManagedObjectModel) -> CoordinatorParts {
        provider.parts(for: model)
    }

    /// Looked up once, because a look-up by name parses the name and searches every loaded library.
    static let provider: any CoordinatorPartsProvider.Type = {
        let name = "CoreDataEngine.EngineParts"
        guard let found: AnyClass = NSClassFromString(name),
            let provider = found as? any CoordinatorPartsProvider.Type
        else { trap("a coordinator needs the engine: link the class \(name)") }
        return provider
    }()
}

/// Creates the parts of coordinators; the engine's class `EngineParts` conforms.
package protocol CoordinatorPartsProvider: AnyObject, SendableMetatype {
    static func parts(for model: NSManagedObjectModel) -> CoordinatorParts
    /// The class of migration managers.
    static var migrationManagerClass: AnyClass { get }
}
