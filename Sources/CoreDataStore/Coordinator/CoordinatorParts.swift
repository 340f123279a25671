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

    /// Creates the parts for a model. A provider class in the engine module does the work.
    ///
    /// The provider is in a higher module, which has managed objects and migrations, so this module
    /// looks it up by name. The provider cannot be a parameter, because subclasses of the
    /// coordinator use the public initialiser.
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
    /// The class of migration managers.
    static var migrationManagerClass: AnyClass { get }
}
