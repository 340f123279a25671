/// The type of a batch insert's result.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether the request succeeded: a Bool.
    case statusOnly = 0
    /// The ids of the rows: an array of `NSManagedObjectID`.
    case objectIDs = 1
    /// The number of rows: an Int.
    case count = 2
}

/// The type of a batch update's result.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether the request succeeded: a Bool.
    case statusOnlyResultType = 0
    /// The ids of the rows: an array of `NSManagedObjectID`.
    case updatedObjectIDsResultType = 1
    /// The number of rows: an Int.
    case updatedObjectsCountResultType = 2
}

/// The type of a batch delete's result.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether the request succeeded: a Bool.
    case resultTypeStatusOnly = 0
    /// The ids of the rows: an array of `NSManagedObjectID`.
    case resultTypeObjectIDs = 1
    /// The number of rows: an Int.
    case resultTypeCount = 2
}
