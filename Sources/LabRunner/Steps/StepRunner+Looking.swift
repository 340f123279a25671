import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import LabScenario

extension StepRunner {
    func perform(_ action: LookAction) throws(Stop) -> String {
        let (value, name) = try look(action)
        bind(name?.value, value)
        return value.quoted
    }

    private func look(
        _ action: LookAction
    ) throws(Stop) -> (value: ObservedValue, name: Located<String>?) {
        switch action {
        case .committed(let path, let name): return (try committed(path), name)
        case .changed(let reference, let name):
            let object = try object(reference)
            try engine { () throws(CoreDataError) in
                try context.context.checkConfined("changedValues()")
            }
            return (.list(object.changedKeys.map { .text($0) }), name)
        case .members(let path, let name): return (try members(path), name)
        case .sameID(let one, let other, let name):
            return (.flag(try object(one).objectID == object(other).objectID), name)
        case .contextOf(let reference, let name):
            let owner = try object(reference).managedObjectContext
            return (owner?.name.map { .text($0) } ?? .none, name)
        case .conflicts(let name): return (.list(context.conflicts.map { .text($0) }), name)
        case .history(let token, let name):
            return (.list(try history(since: token?.value).map { .text($0) }), name)
        case .historyToken(let name): return (.integer(try historyToken()), name)
        }
    }

    private func committed(_ path: ObjectPath) throws(Stop) -> ObservedValue {
        let (object, key) = try end(of: path)
        // Fires the fault, or throws the reason why firing it is impossible.
        _ = try readProperty(key, of: object)
        if let slot = object.layout.valueSlot(named: key) {
            return LiteralCoding.observed(
                object.committedValue(at: slot), kind: object.layout.values[slot].kind,
                name: world.alias)
        }
        switch object.committedValues(forKeys: [key])[key] {
        case let set as NSSet: return .integer(Int64(set.count))
        case let ordered as NSOrderedSet: return .integer(Int64(ordered.count))
        default: return .integer(0)
        }
    }

    private func members(_ path: ObjectPath) throws(Stop) -> ObservedValue {
        let (owner, key) = try end(of: path)
        let members = try engine { () throws(CoreDataError) in
            try Relating.members(of: owner, key)
        }
        let names = members.map { world.name($0.objectKey).alias }
        let isOrdered = owner.layout.toManySlot(named: key).map {
            owner.layout.toMany[$0].isOrdered
        }
        return .list((isOrdered == true ? names : names.sorted()).map { .object($0) })
    }
}
