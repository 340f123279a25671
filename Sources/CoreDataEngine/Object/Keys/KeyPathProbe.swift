import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// Evaluates a key path on objects without a context, to find the properties that the key path
/// reads.
///
/// An accessor may require a value that is not nil. So each to-one relationship leads to an object
/// of the destination entity, and each attribute has its default, zero, or an empty value.
final class KeyPathProbe {
    private let binding: ModelBinding
    private let root: NSManagedObject
    /// The objects for reads after the last step of the key path. Their relationships lead to each
    /// other.
    private var rest: [Int: NSManagedObject] = [:]
    private var reads: [(object: NSManagedObject, slot: Int)] = []

    /// - Parameter steps: the number of properties in the key path.
    init(_ binding: ModelBinding, entity index: Int, steps: Int) {
        self.binding = binding
        root = Self.object(binding, index)
        var level = [index: root]
        // Each step has its own objects, which show at which step a property was read.
        for _ in 0..<steps {
            var next: [Int: NSManagedObject] = [:]
            for object in level.values { Self.link(object, binding, &next) }
            level = next
        }
        rest = level
        var waiting = Array(level.values)
        while let object = waiting.popLast() {
            let known = Set(rest.keys)
            Self.link(object, binding, &rest)
            waiting += rest.filter { !known.contains($0.key) }.values
        }
    }

    private static func link(
        _ object: NSManagedObject, _ binding: ModelBinding, _ group: inout [Int: NSManagedObject]
    ) {
        for (slot, property) in object.layout.values.enumerated() {
            guard let index = property.toOne?.destinationIndex else { continue }
            let destination = group[index] ?? Self.object(binding, index)
            group[index] = destination
            object.storePending(.reference(destination.objectKey), at: slot)
            object.setKnownDestination(slot, destination)
        }
    }

    /// Removes the links between the objects, which would otherwise keep each other alive.
    private func unlink() {
        for object in rest.values {
            for slot in object.layout.values.indices where object.layout.isToOne(slot) {
                object.setKnownDestination(slot, nil)
            }
        }
    }

    private static func object(_ binding: ModelBinding, _ index: Int) -> NSManagedObject {
        // The variable is optional: a non-optional argument would select the initialiser that looks
        // up the entity's class.
        let context: NSManagedObjectContext? = nil
        let object = binding.objectClass(at: index)
            .init(entity: binding.description(at: index), insertInto: context)
        for (slot, property) in object.layout.values.enumerated()
        where property.coding == .plain && object.currentValue(at: slot).isNull {
            object.storePending(zero(of: property.kind), at: slot)
        }
        object.state.insert(.heard)
        return object
    }

    private static func zero(of kind: ValueKind) -> Value {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean: .integer(0)
        case .double, .float, .date: .double(0)
        case .decimal: .decimal(0)
        case .string: .string("")
        case .uri: .string("file:///")
        case .uuid: .uuid(UUID())
        case .binary: .data(Data())
        case .toOne: .null
        }
    }

    /// The names of the properties that a key path reads, in order; nil if the path does not read
    /// exactly one property at each step.
    func keys(of keyPath: AnyKeyPath, steps: Int) -> [String]? {
        let values = Thread.current.threadDictionary
        let former = values[Self.key]
        values[Self.key] = self
        _ = root[keyPath: keyPath]
        values[Self.key] = former
        defer { unlink() }
        guard reads.count == steps else { return nil }
        var object: NSManagedObject? = root
        var names: [String] = []
        for read in reads {
            guard read.object === object else { return nil }
            let property = read.object.layout.values[read.slot]
            names.append(property.name)
            object = property.toOne == nil ? nil : read.object.destination(at: read.slot)
        }
        return names
    }

    func note(_ object: NSManagedObject, _ slot: Int) {
        // An accessor may read its value twice.
        if let last = reads.last, last.object === object, last.slot == slot { return }
        reads.append((object, slot))
    }

    // MARK: The probe in use

    private static let key = "Faultline.KeyPathProbe"

    /// The probe on which this thread evaluates a key path.
    static var current: KeyPathProbe? { Thread.current.threadDictionary[key] as? KeyPathProbe }

    /// Any case of an enumeration. Used for an accessor whose raw value in the probe does not
    /// belong to a case.
    static func anyCase<T: RawRepresentable>(of type: T.Type) -> T? {
        guard current != nil else { return nil }
        if let type = type as? any CaseIterable.Type, let first = firstCase(of: type) as? T {
            return first
        }
        for number in 0...255 {
            let raw = (T.RawValue.self as? any FixedWidthInteger.Type)?.init(
                truncatingIfNeeded: number)
            if let raw = raw as? T.RawValue, let value = T(rawValue: raw) { return value }
        }
        return nil
    }

    private static func firstCase<T: CaseIterable>(of type: T.Type) -> Any? { T.allCases.first }
}

extension NSManagedObject: KeyPathProbing {
    package static func probe(_ keyPath: AnyKeyPath, steps: Int) -> ProbedKeys {
        guard let (binding, index) = ModelBinding.place(where: { $0 is Self.Type }) else {
            return .notYet
        }
        let probe = KeyPathProbe(binding, entity: index, steps: steps)
        return probe.keys(of: keyPath, steps: steps).map { .keys($0) } ?? .none
    }
}
