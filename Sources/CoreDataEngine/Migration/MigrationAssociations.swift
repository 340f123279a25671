import CoreDataStore

/// Records which destination object each mapping created from which source object.
///
/// Keeps the objects alive until the migration has ended, because the ids of the destination
/// objects change when they are saved.
struct MigrationAssociations {
    private struct Side {
        var partners: [ObjectIdentifier: [NSManagedObject]] = [:]
        var all: [NSManagedObject] = []

        mutating func add(_ object: NSManagedObject, _ partner: NSManagedObject) {
            if partners[ObjectIdentifier(object)] == nil { all.append(object) }
            partners[ObjectIdentifier(object), default: []].append(partner)
        }

        func found(_ objects: [NSManagedObject]?) -> [NSManagedObject] {
            var seen: Set<ObjectIdentifier> = []
            return (objects ?? all).flatMap { partners[ObjectIdentifier($0)] ?? [] }
                .filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
    }

    private var bySource: [String: Side] = [:]
    private var byDestination: [String: Side] = [:]
    private var bySourceOfAny = Side()

    mutating func add(
        _ source: NSManagedObject, _ destination: NSManagedObject, _ mapping: String
    ) {
        bySource[mapping, default: Side()].add(source, destination)
        byDestination[mapping, default: Side()].add(destination, source)
        bySourceOfAny.add(source, destination)
    }

    func destinations(_ mapping: String, _ sources: [NSManagedObject]?) -> [NSManagedObject] {
        bySource[mapping]?.found(sources) ?? []
    }

    func sources(_ mapping: String, _ destinations: [NSManagedObject]?) -> [NSManagedObject] {
        byDestination[mapping]?.found(destinations) ?? []
    }

    func destinations(ofAny sources: [NSManagedObject]) -> [NSManagedObject] {
        bySourceOfAny.found(sources)
    }
}
