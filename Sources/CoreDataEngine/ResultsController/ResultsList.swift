import CoreDataModel
import CoreDataStore
import Foundation

/// The objects of a results controller in their order, and their sections.
///
/// A fetch or a change creates a new list. Lists are immutable, so that the lists before and after
/// a change can be compared.
final class ResultsList {
    struct Section {
        let name: String
        let range: Range<Int>
    }

    let objects: ContiguousArray<NSManagedObject>
    let sections: [Section]
    private(set) lazy var positions = Dictionary(
        uniqueKeysWithValues: objects.enumerated().map { (ObjectIdentifier($1), $0) })

    /// - Parameter names: the section of each object; nil for results with one section.
    /// - Throws: an error if the order separates objects of a section.
    init(
        _ objects: ContiguousArray<NSManagedObject>, sections names: ContiguousArray<String>?
    ) throws(CoreDataError) {
        self.objects = objects
        guard let names else {
            sections = [Section(name: "", range: 0..<objects.count)]
            return
        }
        assert(
            names.count == objects.count, "the number of section names is not the number of objects"
        )
        var sections: [Section] = []
        var seen: Set<String> = []
        var start = 0
        for (index, name) in names.enumerated() {
            if index == start {
                guard seen.insert(name).inserted else {
                    throw CoreDataError(
                        .invalidArgument,
                        "The fetched object at index \(index) has an out of order section name"
                            + " '\(name)'. Objects must be sorted by section name; sort by"
                            + " sectionNameKeyPath first.")
                }
            }
            if index + 1 == names.count || names[index + 1] != name {
                sections.append(Section(name: name, range: start..<index + 1))
                start = index + 1
            }
        }
        assert(start == names.count, "the sections do not contain every object")
        self.sections = sections
    }

    var sectionNames: ContiguousArray<String> {
        var names = ContiguousArray<String>()
        names.reserveCapacity(objects.count)
        for section in sections {
            names.append(contentsOf: repeatElement(section.name, count: section.range.count))
        }
        return names
    }

    func path(of object: NSManagedObject) -> IndexPath? {
        positions[ObjectIdentifier(object)].map { path(at: $0) }
    }

    /// The index path of a position in the whole list.
    func path(at position: Int) -> IndexPath {
        var (low, high) = (0, sections.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sections[middle].range.upperBound > position {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return IndexPath(indexes: [low, position - sections[low].range.lowerBound])
    }

    /// The object at an index path.
    ///
    /// - Throws: an error if the path does not have two indexes or is out of bounds.
    func object(at path: IndexPath) throws(CoreDataError) -> NSManagedObject {
        guard path.count == 2 else {
            throw CoreDataError(
                .invalidArgument,
                "An index path of results has two indexes, section and object; \(path) has"
                    + " \(path.count).")
        }
        guard sections.indices.contains(path[0]) else {
            throw CoreDataError(
                .invalidArgument, "no section at index \(path[0]); there are \(sections.count).")
        }
        let range = sections[path[0]].range
        guard path[1] >= 0, path[1] < range.count else {
            throw CoreDataError(
                .invalidArgument,
                "no object at index \(path[1]) in section at index \(path[0]); it has"
                    + " \(range.count).")
        }
        return objects[range.lowerBound + path[1]]
    }
}
