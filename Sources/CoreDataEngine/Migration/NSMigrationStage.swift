import Foundation

/// One step on the way of a store through the versions of its model.
///
/// Used by one thread at a time.
public class NSMigrationStage: NSObject {
    private var ownLabel: String?

    override init() { super.init() }

    /// What logs call the stage; the class's name unless it is set.
    public var label: String! {
        get { ownLabel ?? "\(type(of: self))" }
        set { ownLabel = newValue }
    }
}
