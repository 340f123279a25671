/// A constant in a predicate that represents an object; statements compare its key.
package protocol ObjectIdentifying {
    var objectKey: ObjectKey { get }
}

extension ObjectKey: ObjectIdentifying {
    package var objectKey: ObjectKey { self }
}
