/// One section of a results controller at the time when the section was read.
public protocol NSFetchedResultsSectionInfo {
    /// The title for an index of sections.
    var indexTitle: String? { get }
    /// The value of the section's key path, as text; empty without a key path or a value.
    var name: String { get }
    /// The number of objects in the section.
    var numberOfObjects: Int { get }
    /// The objects, in order.
    var objects: [Any]? { get }
}

/// A section and its objects.
struct ResultsSection: NSFetchedResultsSectionInfo {
    let list: ResultsList
    let range: Range<Int>
    let name: String
    let indexTitle: String?

    var numberOfObjects: Int { range.count }
    var objects: [Any]? { Array(list.objects[range]) }
}
