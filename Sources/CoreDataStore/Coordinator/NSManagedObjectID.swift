import CoreDataModel
import CoreDataTrace
import Foundation
import Synchronization

/// The universal identifier of a managed object: store, entity and primary key.
///
/// Ids are immutable and may be used on any queue, so contexts exchange them. An object that has
/// never been saved has a temporary id; saving assigns a new, permanent one.
public final class NSManagedObjectID: NSObject, NSCopying {
    /// The primary key without its entity, which `entityReference` contains. An entity number would
    /// enlarge each id by a quarter, and programs create many ids.
    @usableFromInline let number: Int64
    /// The entity. It is not retained: the binding of the model to its classes keeps it alive until
    /// the program ends.
    @usableFromInline let entityReference: Unmanaged<NSEntityDescription>
    /// The data that all ids of the store share. A single reference keeps ids small.
    @usableFromInline let origin: StoreOrigin?

    package convenience init(
        key: ObjectKey, entity: NSEntityDescription, layout: EntityLayout, store: NSPersistentStore?
    ) {
        assert(entity.layoutReference?.toOpaque() == Unmanaged.passUnretained(layout).toOpaque())
        self.init(key: key, entity: .passUnretained(entity), origin: store?.origin)
    }

    /// Creates an id without changing reference counts, for callers that create many ids.
    ///
    /// - Parameters:
    ///   - entity: an entity whose model is frozen.
    ///   - origin: a retained reference to the store's data, which the new id owns.
    @inlinable package init(
        number: Int64, entity: Unmanaged<NSEntityDescription>, origin: consuming StoreOrigin?
    ) {
        self.number = number
        entityReference = entity
        self.origin = origin
        super.init()
    }

    /// Creates an id that identifies no object and equals no other id. It is temporary, and its
    /// entity is named `None`.
    public override convenience init() {
        self.init(number: TemporaryKeys.next(), entity: Self.noEntity, origin: nil)
    }

    /// The entity of ids without an object. Its model is retained and frozen.
    private static let noEntity: Unmanaged<NSEntityDescription> = {
        let entity = NSEntityDescription()
        entity.name = "None"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        do { try model.freeze() } catch { trap("the model of empty ids is not valid: \(error)") }
        _ = Unmanaged.passRetained(model)
        return .passUnretained(entity)
    }()

    package convenience init(
        key: ObjectKey, entity: Unmanaged<NSEntityDescription>, origin: consuming StoreOrigin?
    ) {
        self.init(number: key.key, entity: entity, origin: origin)
        assert(self.key == key, "the key belongs to another entity")
    }

    package var key: ObjectKey { ObjectKey(entity: entityIndex, key: number) }

    package var layout: EntityLayout {
        // Safe: ids are only created for frozen entities.
        entityReference._withUnsafeGuaranteedRef { $0.layoutReference.unsafelyUnwrapped }
            .takeUnretainedValue()
    }

    /// The UUID of the store, or the empty string for a temporary id.
    package var storeIdentifier: String {
        isTemporaryID ? "" : origin?.identifier ?? ""
    }

    /// The entity of the object.
    public var entity: NSEntityDescription { entityReference.takeUnretainedValue() }

    /// Whether the id is temporary. An object gets a permanent id at its first save, or earlier on
    /// request.
    public var isTemporaryID: Bool { number < 0 }

    /// The store that holds the object's row, or nil for a temporary id or a removed store.
    public var persistentStore: NSPersistentStore? { origin?.reference.store }

    /// The id as a URI: `x-coredata://<store UUID>/<Entity>/p<primary key>`.
    ///
    /// A temporary id has an empty host and a last component that begins with `t`. Only
    /// permanent ids can be turned back by `managedObjectID(forURIRepresentation:)`.
    public func uriRepresentation() -> URL {
        let text =
            isTemporaryID
            ? "x-coredata:///\(layout.name)/t\(TemporaryKeys.processUUID)\(-number)"
            : "x-coredata://\(storeIdentifier)/\(layout.name)/p\(uriKey)"
        // Safe: UUIDs, digits and entity names (letters, digits, underscores) form a valid URL.
        return URL(string: text) ?? URL(fileURLWithPath: text)
    }

    /// The primary key as text, or the text that a custom store uses instead of a key.
    private var uriKey: String { persistentStore?.uriKey(key) ?? "\(number)" }

    /// Returns the receiver: ids are immutable.
    public func copy(with zone: NSZone?) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        // Hash tables compare ids often. A conditional cast would take longer than the rest of the
        // comparison.
        guard let object, type(of: object) == NSManagedObjectID.self else { return false }
        // Safe: the class is final, and the line above has checked it.
        let other = unsafeDowncast(object as AnyObject, to: NSManagedObjectID.self)
        return other === self
            || other.number == number && other.rootIndex == rootIndex
                && (other.origin === origin || other.storeIdentifier == storeIdentifier)
    }

    @usableFromInline var entityIndex: Int {
        entityReference._withUnsafeGuaranteedRef {
            $0.layoutReference.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.index }
        }
    }

    private var rootIndex: Int {
        entityReference._withUnsafeGuaranteedRef {
            $0.layoutReference.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.rootIndex }
        }
    }

    public override var hash: Int {
        // This value need not be well distributed, because hash tables mix it further.
        Int(truncatingIfNeeded: number) &* 31 &+ rootIndex
    }

    public override var description: String {
        "<\(uriRepresentation().absoluteString)>"
    }
}

// `@unchecked Sendable` because every field is immutable. The reference to the store is in a
// `StoreReference`, which synchronizes its own accesses.
extension NSManagedObjectID: @unchecked Sendable {}

/// The data about a store that all of its ids share: the store's identity, and a weak reference to
/// the store.
@usableFromInline package final class StoreOrigin: Sendable {
    @usableFromInline package let reference: StoreReference
    @usableFromInline package let identifier: String

    init(_ reference: StoreReference, identifier: String) {
        self.reference = reference
        self.identifier = identifier
    }
}

/// Creates temporary keys, for objects without a row.
package enum TemporaryKeys {
    @usableFromInline static let last = Atomic<Int64>(0)
    static let processUUID = UUID().uuidString

    /// Returns a negative key that is unique in this process.
    @inlinable package static func next() -> Int64 {
        last.subtract(1, ordering: .relaxed).newValue
    }
}

extension NSManagedObjectID: ObjectIdentifying {
    package var objectKey: ObjectKey { key }
}
