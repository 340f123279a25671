/// The kind of index that an element needs.
public enum NSFetchIndexElementType: UInt, Sendable {
    case binary = 0
    case rTree = 1
}
