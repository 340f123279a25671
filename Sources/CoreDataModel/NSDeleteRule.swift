/// The effect on the destination of a relationship when its source is deleted.
public enum NSDeleteRule: UInt, Sendable {
    case noActionDeleteRule = 0
    case nullifyDeleteRule = 1
    case cascadeDeleteRule = 2
    case denyDeleteRule = 3
}

extension NSDeleteRule {
    /// The same rule as a layout spells it.
    package var behavior: DeleteBehavior {
        switch self {
        case .noActionDeleteRule: .noAction
        case .nullifyDeleteRule: .nullify
        case .cascadeDeleteRule: .cascade
        case .denyDeleteRule: .deny
        }
    }
}
