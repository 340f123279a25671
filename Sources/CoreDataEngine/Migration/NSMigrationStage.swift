import Foundation

/// One step in the staged migration of a store.
///
/// Used by one thread at a time.
open class NSMigrationStage: NSObject {
    private var ownLabel: String?

    /// Creates a stage that does nothing; use a lightweight or a custom one.
    public override init() { super.init() }

    /// The stage's name in logs; the class's name unless it is set.
    open var label: String! {
        get { ownLabel ?? "\(type(of: self))" }
        set { ownLabel = newValue }
    }
}
