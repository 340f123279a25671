import Foundation

/// One step on the way of a store through the versions of its model.
///
/// Used by one thread at a time.
open class NSMigrationStage: NSObject {
    private var ownLabel: String?

    /// Makes a stage that does nothing; use a lightweight or a custom one.
    public override init() { super.init() }

    /// What logs call the stage; the class's name unless it is set.
    open var label: String! {
        get { ownLabel ?? "\(type(of: self))" }
        set { ownLabel = newValue }
    }
}
