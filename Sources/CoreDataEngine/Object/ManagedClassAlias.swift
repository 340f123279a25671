/// Maps an Objective-C class name, as in `@objc(Name) class Book`, to its class.
///
/// A subclass is named `ManagedClassNamed_` plus the name, and is in the class's module.
open class ManagedClassAlias {
    /// The class with the name.
    open class var managedClass: AnyClass { NSManagedObject.self }
}

/// Returns the Objective-C name of a class: the name in `@objc(Name)`, otherwise the Swift name
/// with the module.
public func NSStringFromClass(_ managedClass: NSManagedObject.Type) -> String {
    managedClass.objectiveCName
}

/// Returns the name of any class: the Swift name with the module, for example `Shop.Book`. Names of
/// Foundation's classes have no module.
public func NSStringFromClass(_ aClass: AnyClass) -> String { objectiveCName(of: aClass) }

/// Returns the name of a class that `description()` returns on platforms with Objective-C.
public func objectiveCName(of type: AnyClass) -> String {
    // The cast is a separate statement: inside the expression below, optimised code would
    // dereference nil.
    let managed = type as? NSManagedObject.Type
    if let managed { return managed.objectiveCName }
    let name = String(reflecting: type)
    // The Objective-C names of Foundation's classes have no module.
    let foundation = "Foundation."
    return name.hasPrefix(foundation) ? String(name.dropFirst(foundation.count)) : name
}
