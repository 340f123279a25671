import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Reads an `.xcmappingmodel`, the folder of Xcode's mapping editor.
///
/// The folder contains an XML store with the editor's objects: both models in the editor's archive
/// format, entity mappings and property mappings. The editor shows some parts without storing them.
/// This reader adds these parts, as the editor's compiler does. They are the source property of the
/// same name, the expression for the destinations of a relationship, and the fetch of all source
/// objects.
struct MappingModelSource {
    private let path: String
    private let objects: [String: EditorObject]
    private let model: EditorObject
    private let source: NSManagedObjectModel
    private let destination: NSManagedObjectModel

    /// The XML file: the URL itself, or the file inside the folder at the URL.
    static func file(at url: URL) -> URL {
        url.pathExtension == "xcmappingmodel" ? url.appendingPathComponent("xcmapping.xml") : url
    }

    /// The entity mappings in the editor's order.
    ///
    /// - Throws: 256 for a file that cannot be read, 259 for a file that is not a mapping model.
    static func read(_ url: URL) throws(CoreDataError) -> [NSEntityMapping] {
        let file = file(at: url)
        let data: Data
        do { data = try Data(contentsOf: file) } catch {
            throw CoreDataError(
                .fileReadUnknown, "The mapping model \(file.path) cannot be read: \(error)",
                info: ["NSFilePath": file.path])
        }
        return try MappingModelSource(data, path: file.path).mappings()
    }

    private init(_ data: Data, path: String) throws(CoreDataError) {
        self.path = path
        var reader = EditorObjectReader(data)
        do throws(FileFinding) { objects = try reader.objects() } catch {
            throw Self.corrupt(path, "it is not well-formed: \(error.text)")
        }
        guard let model = objects.values.first(where: { $0.type == "XDDEVMAPPINGMODEL" }) else {
            throw Self.corrupt(path, "it contains no mapping model; name an .xcmappingmodel")
        }
        self.model = model
        source = try Self.model(model.data["sourcemodeldata"], "source", path)
        destination = try Self.model(model.data["destinationmodeldata"], "destination", path)
        for (id, object) in objects.sorted(by: { $0.key < $1.key }) {
            guard let name = EditorAttributes.unknown(in: object) else { continue }
            throw Self.corrupt(
                path,
                "'\(name)' is unknown in the \(object.type) '\(id)'; remove it in"
                    + " Xcode's mapping editor")
        }
    }

    private static func corrupt(_ path: String, _ problem: String) -> CoreDataError {
        CoreDataError(
            .fileReadCorrupt, "\(path) is not a usable mapping model: \(problem).",
            info: ["NSFilePath": path])
    }

    private static func model(
        _ data: Data?, _ role: String, _ path: String
    ) throws(CoreDataError) -> NSManagedObjectModel {
        guard let data else {
            throw corrupt(path, "it has no \(role) model; save it in Xcode's mapping editor")
        }
        do throws(ModelError) {
            return try NSManagedObjectModel.parse(data, path: "\(path), \(role) model")
        } catch {
            throw corrupt(path, "its \(role) model cannot be read: \(error)")
        }
    }

    // MARK: Entity mappings

    private func members(_ object: EditorObject, _ relationship: String) -> [EditorObject] {
        (object.references[relationship] ?? []).compactMap { objects[$0] }
    }

    private func mappings() throws(CoreDataError) -> [NSEntityMapping] {
        let entries = members(model, "entitymappings").sorted {
            (Int($0.values["mappingnumber"] ?? "") ?? 0)
                < (Int($1.values["mappingnumber"] ?? "") ?? 0)
        }
        var mappings: [NSEntityMapping] = []
        for entry in entries { mappings.append(try mapping(entry)) }
        for (mapping, entry) in zip(mappings, entries) {
            mapping.attributeMappings = try properties(
                members(entry, "attributemappings"), of: mapping, mappings)
            mapping.relationshipMappings = try properties(
                members(entry, "relationshipmappings"), of: mapping, mappings)
        }
        return mappings
    }

    private func mapping(_ entry: EditorObject) throws(CoreDataError) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.sourceEntityName = entry.values["sourcename"]
        mapping.destinationEntityName = entry.values["destinationname"]
        let names = [mapping.sourceEntityName, mapping.destinationEntityName].compactMap { $0 }
        mapping.name = entry.values["name"] ?? names.joined(separator: "To")
        mapping.entityMigrationPolicyClassName = entry.values["migrationpolicyclassname"]
        let sourceEntity = try entity(mapping.sourceEntityName, in: source, "source")
        let destinationEntity = try entity(
            mapping.destinationEntityName, in: destination, "destination")
        mapping.sourceEntityVersionHash = sourceEntity?.versionHash
        mapping.destinationEntityVersionHash = destinationEntity?.versionHash
        mapping.mappingType = Self.type(of: mapping, entry.values["mappingtypename"])
        if let data = entry.data["sourceexpressiondata"] {
            mapping.sourceExpression = try MappingModelFile.expression(data, path: path)
        } else if let name = mapping.sourceEntityName {
            mapping.sourceExpression = MappingExpressions.fetch(name, where: try filter(entry))
        }
        return mapping
    }

    private func filter(_ entry: EditorObject) throws(CoreDataError) -> String? {
        guard let text = entry.values["sourcefilterpredicatestring"], !text.isEmpty else {
            return nil
        }
        do throws(PredicateFormatError) { _ = try NSPredicate.parse(text) } catch {
            throw Self.corrupt(path, "the filter \"\(text)\" is not a predicate: \(error)")
        }
        return text
    }

    private func entity(
        _ name: String?, in model: NSManagedObjectModel, _ role: String
    ) throws(CoreDataError) -> NSEntityDescription? {
        guard let name else { return nil }
        if let found = model.entitiesByName[name] { return found }
        throw Self.corrupt(path, "its \(role) model has no entity '\(name)'")
    }

    /// The editor writes "Undefined" if the type follows from the mapping itself.
    private static func type(
        of mapping: NSEntityMapping, _ name: String?
    ) -> NSEntityMappingType {
        if mapping.entityMigrationPolicyClassName != nil { return .customEntityMappingType }
        if mapping.sourceEntityName == nil { return .addEntityMappingType }
        if mapping.destinationEntityName == nil { return .removeEntityMappingType }
        if name == "Custom" { return .customEntityMappingType }
        let isSame = mapping.sourceEntityVersionHash == mapping.destinationEntityVersionHash
        return isSame ? .copyEntityMappingType : .transformEntityMappingType
    }

    // MARK: Property mappings

    private func properties(
        _ entries: [EditorObject], of mapping: NSEntityMapping, _ all: [NSEntityMapping]
    ) throws(CoreDataError) -> [NSPropertyMapping] {
        var made: [NSPropertyMapping] = []
        for entry in entries {
            guard let name = entry.values["name"] else { continue }
            let property = NSPropertyMapping()
            property.name = name
            if let data = entry.data["valueexpressiondata"] {
                property.valueExpression = try MappingModelFile.expression(data, path: path)
            } else if entry.type == "XDDEVATTRIBUTEMAPPING" {
                property.valueExpression = sameName(name, of: mapping)
            } else if let expression = try generated(entry, name, all) {
                property.valueExpression = expression
            } else {
                property.valueExpression = destinations(of: name, mapping, all)
            }
            made.append(property)
        }
        return made.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    private func sourceEntity(of mapping: NSEntityMapping) -> NSEntityDescription? {
        mapping.sourceEntityName.flatMap { source.entitiesByName[$0] }
    }

    private func sameName(_ name: String, of mapping: NSEntityMapping) -> NSExpression? {
        guard sourceEntity(of: mapping)?.attributesByName[name] != nil else { return nil }
        return MappingExpressions.sourceValue(name)
    }

    /// The expression for the objects that a mapping has created from the objects at a key path.
    /// Nil if the entry names neither a mapping nor a key path.
    private func generated(
        _ entry: EditorObject, _ name: String, _ all: [NSEntityMapping]
    ) throws(CoreDataError) -> NSExpression? {
        let written = { (key: String) in entry.values[key].flatMap { $0.isEmpty ? nil : $0 } }
        let (path, mapping) = (written("sourcekeypath"), written("sourcemappingname"))
        if path == nil && mapping == nil { return nil }
        let objects = try path.map { text throws(CoreDataError) in try sourcePath(text) }
        let sources = objects ?? MappingExpressions.sourceValue(name)
        guard let mapping else {
            let last = path?.split(separator: ".").last.map(String.init)
            return MappingExpressions.destinations(ofRelationship: last ?? name, sources)
        }
        guard all.contains(where: { $0.name == mapping }) else {
            throw Self.corrupt(
                self.path,
                "'\(name)' uses the mapping '\(mapping)', but no mapping has"
                    + " this name")
        }
        return MappingExpressions.destinations(ofMapping: mapping, sources)
    }

    /// `$source`, or a key path that starts at `$source` or at one of the source's keys.
    private func sourcePath(_ text: String) throws(CoreDataError) -> NSExpression {
        let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let variable = "$\(NSMigrationSourceObjectKey)"
        let own = keys.first == variable ? Array(keys.dropFirst()) : keys
        guard !own.contains(where: { $0.isEmpty || $0.hasPrefix("$") }) else {
            throw Self.corrupt(
                path, "\"\(text)\" is not a key path; write \(variable) or \(variable).name")
        }
        return MappingExpressions.sourceValue(own)
    }

    /// The expression for the objects that were created from the destinations of the source's
    /// relationship. Nil if a model has no such relationship.
    private func destinations(
        of name: String, _ mapping: NSEntityMapping, _ all: [NSEntityMapping]
    ) -> NSExpression? {
        let entity = sourceEntity(of: mapping)?.relationshipsByName[name]?.destinationEntity
        let new = mapping.destinationEntityName.flatMap {
            destination.entitiesByName[$0]?.relationshipsByName[name]?.destinationEntity?.name
        }
        guard let entity, let new else { return nil }
        let fitting = all.filter {
            $0.sourceEntityName == entity.name && $0.destinationEntityName == new
        }
        // Other mappings create the objects of subentities.
        guard fitting.count == 1, entity.subentities.isEmpty, let only = fitting.first?.name else {
            return MappingExpressions.destinations(
                ofRelationship: name, MappingExpressions.sourceValue(name))
        }
        return MappingExpressions.destinations(
            ofMapping: only, MappingExpressions.sourceValue(name))
    }
}
