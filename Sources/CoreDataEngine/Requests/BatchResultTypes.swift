/// What a batch insert comes back with.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it succeeded: a Bool.
    case statusOnly = 0
    /// The ids of the rows: an array of `NSManagedObjectID`.
    case objectIDs = 1
    /// How many rows: an Int.
    case count = 2
}

/// What a batch update comes back with.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it succeeded: a Bool.
    case statusOnlyResultType = 0
    /// The ids of the rows: an array of `NSManagedObjectID`.
    case updatedObjectIDsResultType = 1
    /// How many rows: an Int.
    case updatedObjectsCountResultType = 2
}

/// What a batch delete comes back with.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether it succeeded: a Bool.
    case resultTypeStatusOnly = 0
    /// The ids of the rows: an array of `NSManagedObjectID`.
    case resultTypeObjectIDs = 1
    /// How many rows: an Int.
    case resultTypeCount = 2
}
