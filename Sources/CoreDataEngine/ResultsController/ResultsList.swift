import CoreDataModel
import CoreDataStore
import Foundation

/// The objects of a results controller in their order, and the sections that they stand in.
///
/// Made by a fetch and by each change; it never changes itself, so that the lists before and
/// behind a change can be compared.
final class ResultsList {
    /// An object, and the name of its section.
    struct Entry {
        let object: NSManagedObject
        let section: String
    }

    struct Section {
        let name: String
        let range: Range<Int>
    }

    let objects: ContiguousArray<NSManagedObject>
    let sections: [Section]
    private(set) lazy var positions = Dictionary(
        uniqueKeysWithValues: objects.enumerated().map { (ObjectIdentifier($1), $0) })

    /// - Parameter hasSections: whether names divide the list; without, it is one section.
    /// - Throws: an order in which a section comes twice.
    init(_ entries: ContiguousArray<Entry>, hasSections: Bool) throws(CoreDataError) {
        objects = ContiguousArray(entries.map(\.object))
        guard hasSections else {
            sections = [Section(name: "", range: 0..<entries.count)]
            return
        }
        var sections: [Section] = []
        var seen: Set<String> = []
        var start = 0
        for index in entries.indices {
            let name = entries[index].section
            if index == start {
                guard seen.insert(name).inserted else {
                    throw CoreDataError(
                        .invalidArgument,
                        "The fetched object at index \(index) has an out of order section name"
                            + " '\(name)'. Objects must be sorted by section name; sort by"
                            + " sectionNameKeyPath first.")
                }
            }
            if index + 1 == entries.count || entries[index + 1].section != name {
                sections.append(Section(name: name, range: start..<index + 1))
                start = index + 1
            }
        }
        assert(start == entries.count, "every object stands in a section")
        self.sections = sections
    }

    /// The list's entries, to make another of.
    var entries: ContiguousArray<Entry> {
        var result = ContiguousArray<Entry>()
        result.reserveCapacity(objects.count)
        for section in sections {
            for index in section.range {
                result.append(Entry(object: objects[index], section: section.name))
            }
        }
        return result
    }

    /// Where an object stands: section and place in it; nil for an object that is not there.
    func path(of object: NSManagedObject) -> IndexPath? {
        positions[ObjectIdentifier(object)].map { path(at: $0) }
    }

    private func path(at position: Int) -> IndexPath {
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

    /// The object at a place.
    ///
    /// - Throws: a path that is not section and place, or leads nowhere.
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
