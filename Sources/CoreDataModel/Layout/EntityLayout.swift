import CoreDataPredicate

/// The description of one entity of a frozen model, with numbers in place of names.
///
/// Fetches, faults and saves read it for every row, so they use numbers (slots), not dictionaries
/// keyed by property name. A layout is created when a model is frozen. It is immutable, and all
/// contexts and stores share it.
///
/// Attributes and to-one relationships are numbered as slots of ``values``. To-many relationships
/// are numbered separately, as slots of ``toMany``. Both list the slots of the superentity first,
/// then the entity's own in ASCII order of their names. So a slot number means the same property in
/// an entity and in all of its subentities.
///
/// Invariant: slots are numbered without gaps and can be found by name, the family begins with the
/// entity itself, and constraints and indexes refer to slots of the entity.
@usableFromInline
package final class EntityLayout: Sendable {
    package let name: String
    /// The position in ``ModelLayout/entities``, which is Core Data's entity number (`Z_ENT`) minus
    /// one.
    package let index: Int
    /// The index of the root of the inheritance tree; equal to ``index`` for a root.
    package let rootIndex: Int
    package let superIndex: Int?
    /// The indexes of this entity and all of its descendants. They are consecutive and begin with
    /// this entity's index.
    package let familyRange: Range<Int>
    package let isAbstract: Bool
    /// The table of the root entity: `Z` and the root's name in upper case.
    package let tableName: String
    package let values: [ValueSlot]
    package let toMany: [ToManySlot]
    /// Constraints as lists of value slots, including inherited constraints.
    package let uniquenessConstraints: [UniquenessConstraint]
    package let indexes: [IndexLayout]
    package let hasTransientValues: Bool
    package let transformedSlots: [Int]
    package let toOneSlots: ContiguousArray<Int>
    /// The target of each to-one relationship, by value slot. Code that runs for every object reads
    /// it.
    private let toOneTargets: ContiguousArray<RelationshipTarget?>
    private let toManyTargets: ContiguousArray<RelationshipTarget>
    /// The slots of a composite attribute's elements, by the path of the attribute. The elements of
    /// nested composite attributes are included.
    private let compositeSlots: [String: [Int]]
    private let valueSlotsByName: [String: Int]
    private let toManySlotsByName: [String: Int]

    package init(
        name: String, index: Int, rootIndex: Int, superIndex: Int?, familyRange: Range<Int>,
        isAbstract: Bool, tableName: String, values: [ValueSlot], toMany: [ToManySlot],
        uniquenessConstraints: [UniquenessConstraint], indexes: [IndexLayout]
    ) {
        self.name = name
        self.index = index
        self.rootIndex = rootIndex
        self.superIndex = superIndex
        self.familyRange = familyRange
        self.isAbstract = isAbstract
        self.tableName = tableName
        self.values = values
        self.toMany = toMany
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        hasTransientValues = values.contains { $0.isTransient }
        transformedSlots = values.indices.filter { values[$0].coding.isTransformed }
        toOneTargets = ContiguousArray(values.map { $0.toOne.map(RelationshipTarget.init) })
        toOneSlots = ContiguousArray(values.indices.filter { values[$0].toOne != nil })
        toManyTargets = ContiguousArray(toMany.map(RelationshipTarget.init))
        compositeSlots = Self.compositeSlots(of: values)
        valueSlotsByName = Dictionary(
            uniqueKeysWithValues: values.enumerated().map { ($1.name, $0) })
        toManySlotsByName = Dictionary(
            uniqueKeysWithValues: toMany.enumerated().map { ($1.name, $0) })
    }

    private static func compositeSlots(of values: [ValueSlot]) -> [String: [Int]] {
        var found: [String: [Int]] = [:]
        for (slot, value) in values.enumerated() {
            var path = Substring(value.name)
            while let dot = path.lastIndex(of: ".") {
                path = path[..<dot]
                found[String(path), default: []].append(slot)
            }
        }
        return found
    }

    package var hasComposites: Bool { !compositeSlots.isEmpty }

    /// The slots of a composite attribute's elements, including nested elements; nil for another
    /// name.
    package func elementSlots(ofComposite path: String) -> [Int]? { compositeSlots[path] }

    package var hasSubentities: Bool { familyRange.count > 1 }

    package func isToOne(_ slot: Int) -> Bool { toOneTargets[slot] != nil }

    package func target(ofToOne slot: Int) -> RelationshipTarget? { toOneTargets[slot] }

    package func target(ofToMany slot: Int) -> RelationshipTarget { toManyTargets[slot] }

    package func valueSlot(named name: String) -> Int? { valueSlotsByName[name] }

    package func toManySlot(named name: String) -> Int? { toManySlotsByName[name] }

    package var relationshipNames: [String] {
        (toMany.map(\.name) + values.filter { $0.toOne != nil }.map(\.name)).sorted()
    }

    package func destinationIndex(of relationship: String) -> Int? {
        if let slot = toManySlot(named: relationship) { return toMany[slot].destinationIndex }
        return valueSlot(named: relationship).flatMap { values[$0].toOne?.destinationIndex }
    }

    package func isKind(of other: EntityLayout) -> Bool { other.familyRange.contains(index) }
}

/// The stored type of a value slot.
package enum ValueKind: UInt8, Sendable {
    case integer16, integer32, integer64, boolean
    case double, float, date
    case decimal, string, uri, uuid, binary
    case toOne
}

/// How a slot's stored value becomes the value that the program reads.
package enum ValueCoding: Sendable, Equatable {
    /// The stored value itself.
    case plain
    /// Any object, unchanged. A transient attribute without a type has this coding; its object is
    /// never stored.
    case untyped
    /// The object that a value transformer creates from the bytes; nil names the default
    /// transformer.
    case transformed(by: String?)
}

extension ValueCoding {
    package var isTransformed: Bool {
        if case .transformed = self { return true }
        return false
    }
}

/// One attribute or to-one relationship.
package struct ValueSlot: Sendable {
    package let name: String
    package let kind: ValueKind
    package let coding: ValueCoding
    package let isTransient: Bool
    package let isOptional: Bool
    /// The column (`ZTITLE`), or nil for a transient property.
    package let column: String?
    /// Set if and only if ``kind`` is `toOne`.
    package let toOne: ToOneLayout?
    /// Whether a store's history keeps the value of a deleted row.
    package let isPreservedInHistory: Bool
    /// Whether a SQLite store may keep a large value in a separate file next to the store.
    package let isExternal: Bool
    /// How a SQLite store computes the value; nil if the program sets the value.
    package let derivation: Derivation?

    package init(
        name: String, kind: ValueKind, coding: ValueCoding = .plain, isTransient: Bool,
        isOptional: Bool, column: String?, toOne: ToOneLayout? = nil,
        isPreservedInHistory: Bool = false, isExternal: Bool = false, derivation: Derivation? = nil
    ) {
        self.name = name
        self.kind = kind
        self.coding = coding
        self.isTransient = isTransient
        self.isOptional = isOptional
        self.column = column
        self.toOne = toOne
        self.isPreservedInHistory = isPreservedInHistory && column != nil
        self.isExternal = isExternal && kind == .binary && column != nil
        self.derivation = column == nil ? nil : derivation
    }
}

/// The delete rule of a relationship: its effect on the objects at the other end.
package enum DeleteBehavior: UInt8, Sendable {
    case noAction = 0
    case nullify = 1
    case cascade = 2
    case deny = 3
}

/// The other end of a relationship, as a slot of the destination entity.
package enum InverseSlot: Sendable, Equatable {
    case none
    case value(Int)
    case toMany(Int)

    package var isValue: Bool {
        if case .value = self { return true }
        return false
    }
}

/// The part of a relationship slot that is needed to follow the relationship. It contains no names,
/// because counting references to the names would cost more than the rest.
package struct RelationshipTarget: Sendable {
    package let destinationIndex: Int
    package let inverse: InverseSlot
    package let deleteBehavior: DeleteBehavior
    package let isOrdered: Bool

    init(_ relationship: ToOneLayout) {
        destinationIndex = relationship.destinationIndex
        inverse = relationship.inverse
        deleteBehavior = relationship.deleteBehavior
        isOrdered = false
    }

    init(_ relationship: ToManySlot) {
        destinationIndex = relationship.destinationIndex
        inverse = relationship.inverse
        deleteBehavior = relationship.deleteBehavior
        isOrdered = relationship.isOrdered
    }
}

/// The part of a value slot that only to-one relationships have.
package struct ToOneLayout: Sendable {
    package let destinationIndex: Int
    /// The second column (`Z3_OWNER`), present if and only if the destination has subentities.
    package let entityColumn: String?
    package let inverse: InverseSlot
    package let deleteBehavior: DeleteBehavior

    package init(
        destinationIndex: Int, entityColumn: String?, inverse: InverseSlot,
        deleteBehavior: DeleteBehavior
    ) {
        self.destinationIndex = destinationIndex
        self.entityColumn = entityColumn
        self.inverse = inverse
        self.deleteBehavior = deleteBehavior
    }
}

/// One to-many relationship.
package struct ToManySlot: Sendable {
    package let name: String
    package let destinationIndex: Int
    package let isOrdered: Bool
    package let isOptional: Bool
    package let isTransient: Bool
    package let inverse: InverseSlot
    package let deleteBehavior: DeleteBehavior
    package let storage: ToManyStorage

    package init(
        name: String, destinationIndex: Int, isOrdered: Bool, isOptional: Bool, isTransient: Bool,
        inverse: InverseSlot, deleteBehavior: DeleteBehavior, storage: ToManyStorage
    ) {
        self.name = name
        self.destinationIndex = destinationIndex
        self.isOrdered = isOrdered
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.inverse = inverse
        self.deleteBehavior = deleteBehavior
        self.storage = storage
    }
}

/// Where the members of a to-many relationship are stored.
package enum ToManyStorage: Sendable, Equatable {
    /// Columns of the destination's table: the key of the owner, the owner's entity if that entity
    /// has subentities, and the order value if the relationship is ordered.
    ///
    /// If the relationship has an inverse, which is then to-one, `column` is the inverse's column.
    /// Without an inverse, `column` is a separate column (`Z1CALLEVENTS`) that no slot represents.
    case foreignKey(column: String, entityColumn: String?, orderColumn: String?)
    /// Rows of a join table. Both ends of a relationship name the same table, with owner and
    /// destination swapped. The order column orders the members of one owner.
    case joinTable(
        table: String, ownerColumn: String, destinationColumn: String, orderColumn: String?,
        inverseOrderColumn: String?)
    case none
}

/// The combined values of these slots are unique among the rows of the entity and its subentities.
package struct UniquenessConstraint: Sendable, Equatable {
    package let slots: [Int]
    /// The name of the unique index (`Z_Session_UNIQUE_id`).
    package let indexName: String

    package init(slots: [Int], indexName: String) {
        self.slots = slots
        self.indexName = indexName
    }
}

/// An index that the model declares, in addition to the indexes that every relationship has.
package struct IndexLayout: Sendable, Equatable {
    package let name: String
    package let elements: [Element]
    /// Whether the index is an R-tree whose coordinates are the slots. Otherwise it is an ordered
    /// index.
    package let isSpatial: Bool
    /// The condition that a row must meet to be in the index; nil if the index contains all rows.
    package let condition: NSPredicate?

    package struct Element: Sendable, Equatable {
        package let subject: Subject
        package let isAscending: Bool

        package enum Subject: Sendable, Equatable {
            case slot(Int)
            case expression(NSExpression)
        }

        package init(slot: Int, isAscending: Bool) {
            self.init(.slot(slot), isAscending: isAscending)
        }

        package init(_ subject: Subject, isAscending: Bool) {
            self.subject = subject
            self.isAscending = isAscending
        }

        package var slot: Int? { if case .slot(let slot) = subject { slot } else { nil } }
    }

    package init(
        name: String, elements: [Element], isSpatial: Bool = false, condition: NSPredicate? = nil
    ) {
        self.name = name
        self.elements = elements
        self.isSpatial = isSpatial
        self.condition = condition
    }
}

/// All entities of a frozen model.
///
/// Invariant: every entity is at its own index, the indexes of a family are one range, and inverses
/// refer to each other.
package final class ModelLayout: Sendable {
    /// The entities in Core Data's numbering: a pre-order walk of the inheritance forest, siblings
    /// by name without regard to case. `Z_ENT` is the index plus one.
    package let entities: [EntityLayout]
    private let indexesByName: [String: Int]

    package init(entities: [EntityLayout]) {
        self.entities = entities
        indexesByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.index) })
    }

    package func entity(named name: String) -> EntityLayout? {
        indexesByName[name].map { entities[$0] }
    }

    package subscript(index: Int) -> EntityLayout { entities[index] }

    /// Whether an attribute may keep large values in files next to a store.
    package var hasExternalValues: Bool {
        entities.contains { $0.values.contains { $0.isExternal } }
    }

    package var hasDerivedValues: Bool {
        entities.contains { $0.values.contains { $0.derivation != nil } }
    }

    /// Whether a to-many relationship is its own inverse. The join table then contains each pair in
    /// both directions.
    package func isReflexive(_ slot: Int, of entity: EntityLayout) -> Bool {
        let relationship = entity.toMany[slot]
        guard case .joinTable = relationship.storage else { return false }
        return relationship.inverse == .toMany(slot)
            && entities[relationship.destinationIndex].toMany[slot].storage == relationship.storage
    }
}
