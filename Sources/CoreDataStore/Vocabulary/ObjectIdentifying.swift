/// A constant in a predicate that stands for an object: its key is what a statement compares.
package protocol ObjectIdentifying {
    var objectKey: ObjectKey { get }
}

extension ObjectKey: ObjectIdentifying {
    package var objectKey: ObjectKey { self }
}
