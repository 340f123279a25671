/// The built-in merge policies.
public enum NSMergePolicyType: UInt, Sendable {
    /// A conflict stops the save with error 133020 or 133021.
    case errorMergePolicyType = 0
    /// If both sides changed a property, the store's value is kept.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// If both sides changed a property, the context's value is saved.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The context's whole row is saved.
    case overwriteMergePolicyType = 3
    /// The context's changes to the object are dropped.
    case rollbackMergePolicyType = 4
}
