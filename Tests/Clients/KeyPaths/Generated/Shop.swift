import CoreData
import Foundation

/// The model of the classes in this module and in the program.
public enum Shop {
    public static func model() -> NSManagedObjectModel? {
        Bundle.module.url(forResource: "Shop", withExtension: "xcdatamodeld")
            .flatMap { NSManagedObjectModel(contentsOf: $0) }
    }
}
