import CoreDataModel
import CoreDataTrace
import Foundation

/// The parts of a coordinator that do not depend on its stores.
package struct CoordinatorParts {
    let model: FrozenModel
    let opening: any BackendOpening

    package init(model: FrozenModel, opening: any BackendOpening) {
        self.model = model
        self.opening = opening
    }

    /// Creates the parts for a model, through a class of the engine module.
    ///
    /// That module is above this one, because it has managed objects and migrations, so the class
    /// is looked up by name. It cannot be a parameter, because subclasses of the coordinator call
    /// the public initialiser.
    static func made(for model: NSManagedObjectModel) -> CoordinatorParts {
        provider.parts(for: model)
    }

    /// The class is looked up once, because `NSClassFromString` parses the name and searches every
    /// loaded library.
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
    static var migrationManagerClass: AnyClass { get }
}
