/// The merge policies that the framework has built in.
public enum NSMergePolicyType: UInt, Sendable {
    /// A conflict stops the save with error 133020 or 133021.
    case errorMergePolicyType = 0
    /// Per property, where both sides changed it the store's value stays.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Per property, where both sides changed it the context's value is saved.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The whole row as the context has it is saved.
    case overwriteMergePolicyType = 3
    /// The context's changes to the object are dropped.
    case rollbackMergePolicyType = 4
}
