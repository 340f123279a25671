/// Says which class has a name that Objective-C gave it, as `@objc(Name) class Book` does.
///
/// A subclass is called `ManagedClassNamed_` and the name, and stands in the class's module.
open class ManagedClassAlias {
    /// The class of the name.
    open class var managedClass: AnyClass { NSManagedObject.self }
}
