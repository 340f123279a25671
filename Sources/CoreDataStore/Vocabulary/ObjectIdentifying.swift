import CoreDataModel

/// A constant in a predicate that represents an object, which SQL compares by its key.
package protocol ObjectIdentifying: RowIdentifying {
    var objectKey: ObjectKey { get }
}

extension ObjectIdentifying {
    package var rowEntity: Int { Int(objectKey.entity) }
    package var rowKey: Int64 { objectKey.key }
}

extension ObjectKey: ObjectIdentifying {
    package var objectKey: ObjectKey { self }
}
