import CoreData

/// A custom atomic store. Its file has a line for the metadata and one for each object.
///
/// `@unchecked Sendable` because one test at a time uses it.
final class TextStore: NSAtomicStore, @unchecked Sendable {
    static let storeType = "Text"

    struct Refusal: Error, Equatable { var reason: String }

    var refusal: Refusal?
    var fixedReference: String?
    var savesCount = 0
    var removed: [String] = []
    private var lastNumber = 0

    static func stack(
        _ model: NSManagedObjectModel, _ file: URL, options: [AnyHashable: Any]? = nil
    ) throws -> (store: TextStore, coordinator: NSPersistentStoreCoordinator) {
        NSPersistentStoreCoordinator.registerStoreClass(self, type: .init(rawValue: storeType))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(
            ofType: storeType, configurationName: nil, at: file, options: options)
        guard let store = added as? TextStore else { throw CocoaError(.persistentStoreOpen) }
        return (store, coordinator)
    }

    private func lines() throws -> [[String: Any]] {
        guard let url, FileManager.default.fileExists(atPath: url.path) else { return [] }
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
            let found = try JSONSerialization.jsonObject(with: Data(line.utf8))
            guard let found = found as? [String: Any] else { throw Refusal(reason: "no object") }
            return found
        }
    }

    override func loadMetadata() throws {
        let head = try lines().first ?? [:]
        var values: [String: Any] = [
            NSStoreTypeKey: Self.storeType,
            NSStoreUUIDKey: head["uuid"] as? String ?? UUID().uuidString,
        ]
        if let hashes = head["hashes"] as? [String: String] {
            values[NSStoreModelVersionHashesKey] = hashes.compactMapValues {
                Data(base64Encoded: $0)
            }
        }
        values["note"] = head["note"]
        metadata = values
    }

    override func load() throws {
        let lines = Array(try lines().dropFirst())
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        for line in lines {
            guard let entity = entities[line["entity"] as? String ?? ""],
                let name = line["id"] as? String
            else { throw Refusal(reason: "a line without entity and id") }
            lastNumber = max(lastNumber, Int(name.drop { !$0.isNumber }) ?? 0)
            let id = objectID(for: entity, withReferenceObject: name)
            nodes[name] = NSAtomicStoreCacheNode(objectID: id)
        }
        for line in lines {
            guard let node = nodes[line["id"] as? String ?? ""] else { continue }
            for (key, value) in line["values"] as? [String: Any] ?? [:] {
                node.setValue(value, forKey: key)
            }
            for (key, name) in line["one"] as? [String: String] ?? [:] {
                node.setValue(nodes[name], forKey: key)
            }
            for (key, names) in line["many"] as? [String: [String]] ?? [:] {
                node.setValue(Set(names.compactMap { nodes[$0] }), forKey: key)
            }
        }
        addCacheNodes(Set(nodes.values))
    }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        lastNumber += 1
        return fixedReference ?? "\(managedObject.entity.name ?? "")\(lastNumber)"
    }

    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    }

    /// The store removes spaces around names.
    override func updateCacheNode(
        _ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject
    ) {
        super.updateCacheNode(node, from: managedObject)
        let name = node.value(forKey: "name") as? String
        node.setValue(name?.trimmingCharacters(in: .whitespaces), forKey: "name")
    }

    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        removed += cacheNodes.map { "\(referenceObject(for: $0.objectID))" }
    }

    override func save() throws {
        if let refusal { throw refusal }
        savesCount += 1
        let metadata = metadata ?? [:]
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        var head: [String: Any] = ["uuid": metadata[NSStoreUUIDKey] ?? ""]
        head["hashes"] = hashes?.mapValues { $0.base64EncodedString() }
        head["note"] = metadata["note"]
        var lines = [head]
        for node in cacheNodes().sorted(by: { name($0) < name($1) }) { lines.append(line(node)) }
        let text = try lines.map { line in
            let data = try JSONSerialization.data(withJSONObject: line, options: .sortedKeys)
            return String(decoding: data, as: UTF8.self)
        }
        if let url {
            try Data(text.joined(separator: "\n").utf8).write(to: url, options: .atomic)
        }
    }

    private func name(_ node: NSAtomicStoreCacheNode) -> String {
        "\(referenceObject(for: node.objectID))"
    }

    private func line(_ node: NSAtomicStoreCacheNode) -> [String: Any] {
        var values: [String: Any] = [:]
        var one: [String: String] = [:]
        var many: [String: [String]] = [:]
        for (key, value) in node.propertyCache ?? [:] {
            guard let key = key as? String else { continue }
            switch value {
            case let other as NSAtomicStoreCacheNode: one[key] = name(other)
            case let others as Set<NSAtomicStoreCacheNode>: many[key] = others.map(name).sorted()
            default: values[key] = value
            }
        }
        return [
            "entity": node.objectID.entity.name ?? "", "id": name(node), "values": values,
            "one": one, "many": many,
        ]
    }
}
