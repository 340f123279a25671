import CoreData
import Foundation
import LabRunner

/// A scenario of the catalogue as ordinary Swift code.
struct CatalogueCase: Sendable, CustomStringConvertible {
    /// The path of the scenario, relative to the folder `Scenarios`.
    let file: String
    let model: NSManagedObjectModel
    let code: @Sendable (Play) throws -> Void

    init(
        _ file: String, _ model: NSManagedObjectModel,
        _ code: @escaping @Sendable (Play) throws -> Void
    ) {
        self.file = file
        self.model = model
        self.code = code
    }

    var description: String { file }
}

/// The stack and the sessions with which a case runs in one schedule. The functions of this class
/// perform only operations that the code of an app could perform.
final class Play {
    let lab: CodeLab
    let stack: NSPersistentContainer
    let policy: NSMergePolicy
    private var statuses: [String: String] = [:]
    private var values: [String: String] = [:]

    init(_ lab: CodeLab, _ model: NSManagedObjectModel, _ policy: NSMergePolicy) throws {
        self.lab = lab
        self.policy = policy
        stack = try lab.stack(model: model)
    }

    /// The policy with this name in the matrix of the scenario.
    static func policy(_ name: String?) -> NSMergePolicy {
        switch name {
        case "storeTrump": .mergeByPropertyStoreTrump
        case "objectTrump": .mergeByPropertyObjectTrump
        case "overwrite": .overwrite
        case "rollback": .rollback
        default: .error
        }
    }

    /// Creates and saves the rows that exist at the start.
    func rows(
        _ body: @escaping (NSManagedObjectContext) throws -> [NSManagedObject]
    ) throws -> [NSManagedObjectID] {
        try lab.setup {
            let context = stack.newBackgroundContext()
            return try context.performAndWait {
                let objects = try body(context)
                try context.save()
                return objects.map(\.objectID)
            }
        }
    }

    func context(_ policy: NSMergePolicy) -> NSManagedObjectContext {
        let context = stack.newBackgroundContext()
        context.mergePolicy = policy
        return context
    }

    func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = parent
        return child
    }

    /// Adds a session. Each step is a separate block, which runs even if the previous step failed.
    func session(
        _ name: String, _ context: NSManagedObjectContext, _ steps: [(String, () throws -> Void)]
    ) {
        lab.session(name) { [self] in
            for (step, body) in steps {
                context.performAndWait {
                    do {
                        try body()
                        statuses[step] = "ok"
                    } catch {
                        statuses[step] = "\((error as? CocoaError)?.code.rawValue ?? 0)"
                    }
                }
            }
        }
    }

    func isDone(_ step: String) -> Bool { statuses[step] == "ok" }

    func note(_ name: String, _ value: Any?) { values[name] = Self.text(value) }

    // MARK: The end

    enum Look {
        case status(String)
        case value(String)
        case count(String, NSPredicate? = nil)
        /// The values of a key path in all objects of an entity.
        case read(String, String, NSPredicate? = nil)
        case sum(String, String)
    }

    func observe(_ looks: KeyValuePairs<String, Look>) {
        lab.finally { [self] in
            let context = stack.newBackgroundContext()
            try context.performAndWait {
                for (name, look) in looks { lab.observe(name, try text(look, context)) }
            }
        }
    }

    private func text(_ look: Look, _ context: NSManagedObjectContext) throws -> String {
        switch look {
        case .status(let step): return statuses[step] ?? "none"
        case .value(let name): return values[name] ?? "none"
        case .count(let entity, let predicate):
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = predicate
            return "\(try context.count(for: request))"
        case .read(let entity, let path, let predicate):
            let objects = try context.all(entity, predicate).sorted {
                $0.objectID.uriRepresentation().path < $1.objectID.uriRepresentation().path
            }
            let values = objects.map { Self.text(Self.value(path, of: $0)) }
            return values.isEmpty
                ? "none" : values.count == 1 ? values[0] : "[\(values.joined(separator: ", "))]"
        case .sum(let entity, let key):
            return "\(try context.all(entity).reduce(0) { $0 + $1.integer(key) })"
        }
    }

    private static func value(_ path: String, of object: NSManagedObject) -> Any? {
        var next: Any? = object
        for key in path.split(separator: ".") {
            next = (next as? NSManagedObject)?.value(forKey: String(key))
        }
        return next
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let flag as Bool: "\(flag)"
        case let objects as Set<NSManagedObject>: "\(objects.count)"
        case let object as NSManagedObject:
            (object.value(forKey: "name") as? String)?.lowercased() ?? ""
        case let value?: "\(value)"
        }
    }
}

extension NSManagedObjectContext {
    @discardableResult
    func insert(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            object.setValue(value, forKey: key)
        }
        return object
    }

    func all(_ entity: String, _ predicate: NSPredicate? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        return try fetch(request)
    }

    func add(_ amount: Int, to key: String, of id: NSManagedObjectID) {
        let object = object(with: id)
        object.setValue(object.integer(key) + amount, forKey: key)
    }

    func set(_ values: [String: Any], of id: NSManagedObjectID) {
        let object = object(with: id)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            object.setValue(value, forKey: key)
        }
    }
}

extension NSManagedObject {
    func integer(_ key: String) -> Int { value(forKey: key) as? Int ?? 0 }
}
