import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Reads a compiled mapping model, which is a keyed archive.
///
/// `NSMappingModel` uses it. Of a fetch expression, it keeps only the request; a migration does not
/// need the rest.
struct MappingModelFile {
    private let archive: KeyedUnarchive
    private let path: String
    private var levels = 0
    /// The number of parts of the archive that may still be read. A part is read once for each
    /// reference to it. Without the limit, reading a small file could take very long.
    private var left = 200_000
    private static let levelsMax = 64

    /// The entity mappings of a `.cdm`, in their order.
    ///
    /// - Throws: 256 for a file that cannot be read, 259 for a file that is not a mapping model.
    static func read(_ url: URL) throws(CoreDataError) -> [NSEntityMapping] {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw CoreDataError(
                .fileReadUnknown, "The mapping model \(url.path) cannot be read: \(error)",
                info: ["NSFilePath": url.path])
        }
        guard let archive = KeyedUnarchive(data),
            archive.className(archive.root) == "NSMappingModel"
        else {
            throw CoreDataError(
                .fileReadCorrupt,
                "\(url.path) is not a compiled mapping model; name a .cdm file.",
                info: ["NSFilePath": url.path])
        }
        var file = MappingModelFile(archive: archive, path: url.path)
        let root = archive.fields(archive.root)
        var mappings: [NSEntityMapping] = []
        for place in archive.members(root["NSEntityMappings"]) {
            mappings.append(try file.entityMapping(place))
        }
        return mappings
    }

    static func hasOwnHashes(_ url: URL) -> Bool {
        guard let data = try? Data(contentsOf: url), let archive = KeyedUnarchive(data) else {
            return false
        }
        let maker = archive.string(archive.fields(archive.root)[StoreMetadata.makerKey])
        return maker == StoreMetadata.maker
    }

    /// An expression in a separate archive, as Xcode's mapping editor stores it.
    static func expression(_ data: Data, path: String) throws(CoreDataError) -> NSExpression? {
        guard let archive = KeyedUnarchive(data) else {
            throw CoreDataError(
                .fileReadCorrupt, "\(path) has an expression that is not a keyed archive.",
                info: ["NSFilePath": path])
        }
        var file = MappingModelFile(archive: archive, path: path)
        return try file.expression(.reference(archive.root))
    }

    private init(archive: KeyedUnarchive, path: String) {
        self.archive = archive
        self.path = path
    }

    private func corrupt(_ problem: String) -> CoreDataError {
        CoreDataError(
            .fileReadCorrupt, "\(path) is not a usable mapping model: \(problem).",
            info: ["NSFilePath": path])
    }

    private mutating func countPart() throws(CoreDataError) {
        left -= 1
        if left < 0 { throw corrupt("it expands to more parts than a mapping model can have") }
    }

    private mutating func entityMapping(_ place: Int) throws(CoreDataError) -> NSEntityMapping {
        try countPart()
        let fields = archive.fields(place)
        let mapping = NSEntityMapping()
        mapping.name = archive.string(fields["NSMappingName"])
        let type = UInt(exactly: archive.integer(fields["NSMappingType"]) ?? 0)
        mapping.mappingType =
            type.flatMap(NSEntityMappingType.init(rawValue:)) ?? .undefinedEntityMappingType
        mapping.sourceEntityName = archive.string(fields["NSSourceEntityName"])
        mapping.destinationEntityName = archive.string(fields["NSDestinationEntityName"])
        mapping.sourceEntityVersionHash = data(fields["NSSourceEntityVersionHash"])
        mapping.destinationEntityVersionHash = data(fields["NSDestinationEntityVersionHash"])
        mapping.entityMigrationPolicyClassName = archive.string(
            fields["NSEntityMigrationPolicyClassName"])
        mapping.sourceExpression = try expression(fields["NSSourceExpression"])
        mapping.attributeMappings = try propertyMappings(fields["NSAttributeMappings"])
        mapping.relationshipMappings = try propertyMappings(fields["NSRelationshipMappings"])
        return mapping
    }

    private mutating func propertyMappings(
        _ field: ArchiveValue?
    ) throws(CoreDataError) -> [NSPropertyMapping] {
        var mappings: [NSPropertyMapping] = []
        for place in archive.members(field) { mappings.append(try propertyMapping(place)) }
        return mappings
    }

    private func data(_ field: ArchiveValue?) -> Data? {
        guard case .data(let data)? = archive.value(field) else { return nil }
        return data
    }

    private mutating func propertyMapping(_ place: Int) throws(CoreDataError) -> NSPropertyMapping {
        try countPart()
        let fields = archive.fields(place)
        let mapping = NSPropertyMapping()
        mapping.name = archive.string(fields["NSDestinationPropertyName"])
        mapping.valueExpression = try expression(fields["NSValueExpression"])
        return mapping
    }

    // MARK: Expressions

    private mutating func expression(_ field: ArchiveValue?) throws(CoreDataError) -> NSExpression?
    {
        guard let place = archive.place(field) else { return nil }
        try countPart()
        guard levels < Self.levelsMax else {
            throw corrupt(
                "an expression contains itself, or is nested"
                    + " more than \(Self.levelsMax) levels deep"
            )
        }
        levels += 1
        defer { levels -= 1 }
        let fields = archive.fields(place)
        switch archive.className(place) {
        case "NSConstantValueExpression":
            return NSExpression(forConstantValue: archive.constant(fields["NSConstantValue"]))
        case "NSVariableExpression":
            return archive.string(fields["NSVariable"]).map { NSExpression(forVariable: $0) }
        case "NSSelfExpression": return NSExpression.expressionForEvaluatedObject()
        case "NSKeyPathSpecifierExpression":
            return archive.string(fields["NSKeyPath"]).map { NSExpression(forKeyPath: $0) }
        case "NSFetchRequestExpression": return try expression(fields["NSFRExpression"])
        case "NSKeyPathExpression", "NSFunctionExpression": return try call(fields)
        case let other:
            throw corrupt(
                "expressions of the class \(other ?? "without a name") are unknown")
        }
    }

    private mutating func call(
        _ fields: [String: ArchiveValue]
    ) throws(CoreDataError) -> NSExpression? {
        guard let name = archive.string(fields["NSSelectorName"]),
            let target = try expression(fields["NSOperand"])
        else { return nil }
        var arguments: [NSExpression] = []
        for place in archive.members(fields["NSArguments"]) {
            arguments.append(
                try expression(.reference(place)) ?? NSExpression(forConstantValue: nil))
        }
        if name == "valueForKeyPath:" || name == "valueForKey:", let path = arguments.first,
            path.expressionType == .keyPath
        {
            let keys = path.keyPath.split(separator: ".").map(String.init)
            return NSExpression(node: .path(target, keys))
        }
        return NSExpression(forFunction: target, selectorName: name, arguments: arguments)
    }
}

extension NSMappingModel {
    func namesAllSources(of model: NSManagedObjectModel) -> Bool {
        let named = Set(entityMappings.compactMap(\.sourceEntityName))
        return model.entities.allSatisfy { $0.isAbstract || named.contains($0.name ?? "") }
    }
}

/// Checks whether a mapping model maps one given model to another. Used to search bundles for a
/// mapping model.
struct MappingFit {
    private let source: [String: NSEntityDescription]
    private let destination: [String: NSEntityDescription]

    init(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) {
        self.source = source.entitiesByName
        self.destination = destination.entitiesByName
    }

    /// Whether the mappings use only existing entities and properties, and create every concrete
    /// entity of the destination.
    func fits(_ mappings: [NSEntityMapping]) -> Bool {
        let named = (
            source: Set(mappings.compactMap(\.sourceEntityName)),
            destination: Set(mappings.compactMap(\.destinationEntityName))
        )
        let all = { (entities: [String: NSEntityDescription]) in
            Set(entities.filter { !$0.value.isAbstract }.keys)
        }
        guard named.source.isSubset(of: source.keys),
            named.destination.isSubset(of: destination.keys),
            all(destination).isSubset(of: named.destination)
        else { return false }
        return mappings.allSatisfy(hasProperties)
    }

    /// Whether the hashes of at least one mapping are those of its entities in the two models. If
    /// some mappings have two different hashes, one of these mappings must match.
    ///
    /// One match is enough, because the file may contain older hashes for the other mappings.
    func hasHashes(of mappings: [NSEntityMapping]) -> Bool {
        let changing = mappings.filter { mapping in
            mapping.sourceEntityVersionHash != mapping.destinationEntityVersionHash
        }
        return (changing.isEmpty ? mappings : changing).contains { mapping in
            let old = mapping.sourceEntityName.flatMap { source[$0] }
            let new = mapping.destinationEntityName.flatMap { destination[$0] }
            return mapping.sourceEntityVersionHash == old?.versionHash
                && mapping.destinationEntityVersionHash == new?.versionHash
        }
    }

    private func hasProperties(_ mapping: NSEntityMapping) -> Bool {
        guard let entity = mapping.destinationEntityName.flatMap({ destination[$0] }) else {
            return true
        }
        let mapped = (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
        let names = Set(mapped.compactMap(\.name))
        let stored = entity.properties.filter {
            !$0.isTransient && !($0 is NSFetchedPropertyDescription)
        }
        return names == Set(stored.map(\.name))
    }
}
