import CoreDataModel
import CoreDataStore
import Foundation
import Synchronization

/// A frozen model, together with the Swift classes of its entities.
///
/// A model has one binding. It is created when a coordinator first uses the model, or when one of
/// the model's objects is created. Contexts and the initialisers of objects read it.
package final class ModelBinding {
    package let frozen: FrozenModel
    package let layout: ModelLayout
    private let classes: [NSManagedObject.Type]
    private let rules: [ValidationRules]
    private let members: [KeyedMembers]
    /// Whether a class declares an accessor for a property of the model.
    let hasOwnAccessors: Bool
    private let defaultValues: [[(slot: Int, value: Value)]]
    /// The layout indexes of the entities that name a class.
    private let indexesByClass: [ObjectIdentifier: [Int]]

    private init(model: NSManagedObjectModel) throws(CoreDataError) {
        frozen = try FrozenModel(model)
        layout = frozen.layout
        let descriptions = frozen.entities
        classes = descriptions.map { Self.objectClass(for: $0) }
        members = classes.map { KeyedMembers($0.keyedMembers) }
        hasOwnAccessors = zip(layout.entities, members).contains { $1.areAccessors(of: $0) }
        rules = zip(zip(descriptions, classes), members).map {
            ValidationRules(
                entity: $0.0,
                validators: Self.validators($0.1.propertyValidators, $1.validators, $0.0))
        }
        defaultValues = descriptions.map { DefaultValues.of($0) }
        indexesByClass = Dictionary(grouping: classes.indices) { [classes] in
            ObjectIdentifier(classes[$0])
        }
        for (layout, objectClass) in zip(layout.entities, classes) {
            try Self.checkSlots(of: objectClass, against: layout)
            try Self.checkValidators(of: objectClass, against: layout)
        }
    }

    package var model: NSManagedObjectModel { frozen.model }

    package func objectClass(at index: Int) -> NSManagedObject.Type { classes[index] }

    func defaults(at index: Int) -> [(slot: Int, value: Value)] { defaultValues[index] }

    @inline(__always)
    func eachDefault(at index: Int, _ body: (Int, Value) -> Void) {
        for number in 0..<defaultValues[index].count {
            body(defaultValues[index][number].slot, defaultValues[index][number].value)
        }
    }

    /// The defaults of transient attributes, which rows do not contain.
    func transientDefaults(at index: Int) -> [(slot: Int, value: Value)] {
        defaultValues[index].filter { layout[index].values[$0.slot].isTransient }
    }

    func keyedMembers(at index: Int) -> KeyedMembers { members[index] }

    /// The validation functions for properties of the entity: those in `propertyValidators`, and
    /// the `validate<Key>` methods of the class.
    private static func validators(
        _ listed: [String: NSManagedObject.PropertyValidator],
        _ methods: [String: NSManagedObject.PropertyValidator], _ entity: NSEntityDescription
    ) -> [String: NSManagedObject.PropertyValidator] {
        if methods.isEmpty { return listed }
        let known = methods.filter { entity.propertiesByName[$0.key] != nil }
        return listed.merging(known) { listed, method in
            { object, value in
                try listed(object, &value)
                try method(object, &value)
            }
        }
    }

    package func validationRules(at index: Int) -> ValidationRules { rules[index] }

    func hasNoRules(at index: Int) -> Bool { rules[index].isEmpty }

    package func description(at index: Int) -> NSEntityDescription {
        frozen.description(at: index)
    }

    package func entity(named name: String) -> NSEntityDescription? {
        frozen.entity(named: name)
    }

    /// The entity that names a class. Nil if no entity or several entities name it.
    package func entity(forClass objectClass: NSManagedObject.Type) -> NSEntityDescription? {
        let found = entities(forClass: objectClass)
        return found.count == 1 ? found[0] : nil
    }

    private func entities(forClass objectClass: NSManagedObject.Type) -> [NSEntityDescription] {
        (indexesByClass[ObjectIdentifier(objectClass)] ?? []).map(frozen.description(at:))
    }

    // MARK: One binding for each model

    private struct Known: ~Copyable {
        var bindings: [ObjectIdentifier: ModelBinding] = [:]
    }

    private static let known = Mutex(Known())

    package static func of(_ model: NSManagedObjectModel) throws(CoreDataError) -> ModelBinding {
        if let found = known.withLock({ $0.bindings[ObjectIdentifier(model)] }) { return found }
        let made = try ModelBinding(model: model)
        return known.withLock { known in
            if let found = known.bindings[ObjectIdentifier(model)] { return found }
            known.bindings[ObjectIdentifier(model)] = made
            return made
        }
    }

    /// The binding of a coordinator's model. If the model cannot be used, the binding has no
    /// entities.
    static func of(_ frozen: FrozenModel) throws(CoreDataError) -> ModelBinding {
        guard frozen.refusal != nil else { return try of(frozen.model) }
        return try of(withoutEntities)
    }

    private static let withoutEntities = NSManagedObjectModel()

    package static func of(_ entity: NSEntityDescription) throws(CoreDataError) -> ModelBinding {
        guard let model = entity.ownerModel else {
            throw CoreDataError(
                .invalidArgument,
                "The entity '\(entity.name ?? "?")' is not in a model. Add it to the entities of"
                    + " an NSManagedObjectModel before creating objects of it.")
        }
        return try of(model)
    }

    /// All entities that use the class, in all models with a binding. Used by `entity()` of a
    /// class.
    package static func entities(forClass objectClass: NSManagedObject.Type)
        -> [NSEntityDescription]
    {
        let bindings = known.withLock { Array($0.bindings.values) }
        return bindings.flatMap { $0.entities(forClass: objectClass) }
    }

    static func place(
        where isFitting: (NSManagedObject.Type) -> Bool
    ) -> (binding: ModelBinding, index: Int)? {
        for binding in known.withLock({ Array($0.bindings.values) }) {
            if let index = binding.classes.firstIndex(where: isFitting) { return (binding, index) }
        }
        return nil
    }

    // MARK: Classes

    private static func objectClass(for entity: NSEntityDescription) -> NSManagedObject.Type {
        if entity.managedObjectClassName == "NSManagedObject" { return NSManagedObject.self }
        return NamedClasses.find(for: entity) ?? NSManagedObject.self
    }

    /// The module of the program, in which class names without a module are looked up.
    static let mainModuleName: String = {
        let path = CommandLine.arguments.first ?? ""
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return name.replacingOccurrences(of: "-", with: "_")
    }()

    private static func checkSlots(
        of objectClass: NSManagedObject.Type, against layout: EntityLayout
    ) throws(CoreDataError) {
        try check(objectClass.propertySlots, layout.values.map(\.name), objectClass, layout)
        try check(objectClass.relationshipSlots, layout.toMany.map(\.name), objectClass, layout)
    }

    private static func checkValidators(
        of objectClass: NSManagedObject.Type, against layout: EntityLayout
    ) throws(CoreDataError) {
        let names = layout.values.map(\.name) + layout.toMany.map(\.name)
        let unknown = objectClass.propertyValidators.keys.filter { !names.contains($0) }.sorted()
        guard let first = unknown.first else { return }
        throw CoreDataError(
            .invalidArgument,
            "\(objectClass) validates '\(first)', but the entity '\(layout.name)' has no such"
                + " property. Its properties are: \(names.sorted().joined(separator: ", ")).")
    }

    private static func check(
        _ stated: [String]?, _ actual: [String], _ objectClass: NSManagedObject.Type,
        _ layout: EntityLayout
    ) throws(CoreDataError) {
        guard let stated, !actual.starts(with: stated) else { return }
        throw CoreDataError(
            .invalidArgument,
            "\(objectClass) has accessors for the slots \(stated), but the entity '\(layout.name)'"
                + " has \(actual). Generate the class again, or write the names in that order.")
    }
}

// `@unchecked Sendable` because all fields are immutable and the model is frozen before they are
// set.
extension ModelBinding: @unchecked Sendable {}
