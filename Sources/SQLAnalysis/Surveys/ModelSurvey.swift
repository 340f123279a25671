import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import LabFiles

/// Tries every model version below a folder: it loads, and one object of each concrete entity is
/// saved into a new store and read back.
///
/// The command `model --all` runs it. Stores are made in a temporary folder.
package struct ModelSurvey {
    private let folder: String

    package init(folder: String) { self.folder = folder }

    package func run() -> SurveyResult {
        var result = SurveyResult(subject: "model versions")
        for path in SurveyFiles(folder: folder).modelVersions() {
            do {
                try Self.check(at: URL(fileURLWithPath: folder + "/" + path))
                result.note(path, nil)
            } catch {
                result.note(path, Self.firstLine(of: error))
            }
        }
        return result
    }

    static func firstLine(of error: any Error) -> String {
        let text =
            switch error {
            case let error as CoreDataError: error.message
            case let error as any CustomStringConvertible: error.description
            default: (error as NSError).localizedDescription
            }
        return text.split(separator: "\n").first.map(String.init) ?? text
    }

    private static func check(at url: URL) throws {
        let model = try NSManagedObjectModel.load(contentsOf: url)
        SurveyTransformer.stand(inFor: model)
        let scratch = try TemporaryFolder("model")
        defer { scratch.remove() }
        let store = URL(fileURLWithPath: scratch.path + "/store.sqlite")
        let coordinator = try NSPersistentStoreCoordinator.make(model: model)
        _ = try coordinator.add(
            type: NSSQLiteStoreType, configuration: nil, url: store, options: nil)
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        try context.attach(to: coordinator)
        try context.performAndWait {
            try SampleGraph(model: model, context: context).save()
            context.reset()
            for entity in model.entities where !entity.isAbstract {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.includesSubentities = false
                request.returnsObjectsAsFaults = false
                let found = try context.fetch(request)
                guard found.count == 1 else {
                    throw SurveyProblem("\(found.count) objects of \(entity.name ?? "") were saved")
                }
            }
        }
    }
}

/// One object of each concrete entity, with all that its model asks for.
private struct SampleGraph {
    let model: NSManagedObjectModel
    let context: NSManagedObjectContext

    func save() throws {
        var objects: [(entity: NSEntityDescription, object: NSManagedObject)] = []
        for (number, entity) in model.entities.enumerated() where !entity.isAbstract {
            let object = try context.insertObject(entityNamed: entity.name ?? "")
            let samples = SampleValues(number: number)
            for case let attribute as NSAttributeDescription in entity.properties {
                guard let value = try samples.value(of: attribute) else { continue }
                try object.writeValue(value, forKey: attribute.name)
            }
            objects.append((entity, object))
        }
        for (entity, object) in objects {
            for case let relationship as NSRelationshipDescription in entity.properties {
                try fill(relationship, of: object, from: objects)
            }
        }
        try context.saveChanges()
    }

    private func fill(
        _ relationship: NSRelationshipDescription, of object: NSManagedObject,
        from objects: [(entity: NSEntityDescription, object: NSManagedObject)]
    ) throws {
        guard !relationship.isOptional, !relationship.isTransient,
            let destination = relationship.destinationEntity
        else { return }
        let known = try object.readValue(forKey: relationship.name)
        let isEmpty = (known as? NSSet)?.count == 0 || (known as? NSOrderedSet)?.count == 0
        guard known == nil || isEmpty else { return }
        guard let partner = objects.first(where: { $0.entity.isKindOf(entity: destination) }) else {
            throw SurveyProblem(
                "\(relationship.name) is required, and \(destination.name ?? "") has no objects")
        }
        let value: Any = relationship.isToMany ? Set([partner.object]) : partner.object
        if relationship.isToMany, relationship.isOrdered {
            try object.writeValue(NSOrderedSet(object: partner.object), forKey: relationship.name)
        } else {
            try object.writeValue(value, forKey: relationship.name)
        }
    }
}
