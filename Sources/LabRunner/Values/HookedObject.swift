import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation

/// An object that reads one of its properties in its `prepareForDeletion`. The model builder sets
/// this class for entities with `on-delete`. The step `hook-saw` returns the value that was read.
final class HookedObject: NSManagedObject {
    private static let mark = "on-delete"

    static func hook(_ entity: NSEntityDescription, reading key: String) {
        entity.managedObjectClassName = "LabRunner.HookedObject"
        entity.userInfo = [mark: key]
    }

    override func prepareForDeletion() {
        guard let context = managedObjectContext, let key = entity.userInfo?[Self.mark] as? String
        else { return }
        let name = "\(Self.mark) \(entity.name ?? "")"
        do throws(CoreDataError) {
            // Only keys are kept, because an object would retain its context.
            if layout.toManySlot(named: key) != nil {
                context.userInfo[name] = try Relating.members(of: self, key).map(\.objectKey)
                return
            }
            switch try readValue(forKey: key) {
            case let object as NSManagedObject: context.userInfo[name] = object.objectKey
            case let value?: context.userInfo[name] = "\(value)"
            case nil: context.userInfo[name] = NSNull()
            }
        } catch {
            context.userInfo[name] = "error \(error.cocoaCode)"
        }
    }

    /// The value that the hook of an entity's objects last read in a context.
    static func seen(
        of entity: String, in context: NSManagedObjectContext, name: (ObjectKey) -> String
    ) -> ObservedValue {
        switch context.userInfo["\(mark) \(entity)"] {
        case nil: .none
        case let key as ObjectKey: .object(name(key))
        case let keys as [ObjectKey]: .list(keys.map(name).sorted().map { .object($0) })
        case let text as String: .text(text)
        default: .null
        }
    }
}
