import CoreDataTrace

/// Stops a change to a description whose model is in use.
///
/// - Parameters:
///   - isFrozen: whether a coordinator has frozen the model.
///   - member: the member that was about to change, as `Type.member`.
func preconditionMutable(_ isFrozen: Bool, _ member: StaticString) {
    trap(
        unless: !isFrozen,
        """
        Can't modify an immutable model: \(member) was set after the model came into use; \
        change a copy of the model (copy()) and use that in a new coordinator.
        """)
}
