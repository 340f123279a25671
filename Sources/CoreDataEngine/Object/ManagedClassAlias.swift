/// Says which class has a name that Objective-C gave it, as `@objc(Name) class Book` does.
///
/// A subclass is called `ManagedClassNamed_` and the name, and stands in the class's module.
open class ManagedClassAlias {
    /// The class of the name.
    open class var managedClass: AnyClass { NSManagedObject.self }
}

/// The name of a class for Objective-C: that of `@objc(Name)`, else the one in Swift with its
/// module.
public func NSStringFromClass(_ managedClass: NSManagedObject.Type) -> String {
    managedClass.objectiveCName
}

/// What a class answers to `description()` where there is Objective-C: the name that it has there.
public func objectiveCName(of type: AnyClass) -> String {
    // In two steps: a cast to a class's type reads through nil in optimised code.
    let managed = type as? NSManagedObject.Type
    return managed.map { $0.objectiveCName } ?? String(reflecting: type)
}
