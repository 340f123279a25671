/// Maps an Objective-C class name, as in `@objc(Name) class Book`, to its class.
///
/// A subclass is named `ManagedClassNamed_` plus the name, and is in the class's module.
open class ManagedClassAlias {
    /// The class with the name.
    open class var managedClass: AnyClass { NSManagedObject.self }
}

/// The Objective-C name of a class: that of `@objc(Name)`, else its Swift name with its module.
public func NSStringFromClass(_ managedClass: NSManagedObject.Type) -> String {
    managedClass.objectiveCName
}

/// The result of a class's `description()` on platforms with Objective-C: its name there.
public func objectiveCName(of type: AnyClass) -> String {
    // The cast has two steps: a cast to a class's type reads through nil in optimised code.
    let managed = type as? NSManagedObject.Type
    return managed.map { $0.objectiveCName } ?? String(reflecting: type)
}
