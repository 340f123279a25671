import Foundation

/// An attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription {
    private var storedType = NSAttributeType.undefinedAttributeType
    private var storedValueClassName: String?
    private var storedDefaultValue: Any?
    private var storedValueTransformerName: String?
    private var storedAllowsExternalStorage = false
    private var storedPreservesValue = false
    private var storedAllowsCloudEncryption = false
    /// The settings for the accessor that Xcode generates. Only a model that was read from source
    /// has them.
    package var generation = AttributeGeneration()

    /// The type of the values.
    open var attributeType: NSAttributeType {
        get { storedType }
        set {
            preconditionMutable(isFrozen, "NSAttributeDescription.attributeType")
            storedType = newValue
        }
    }

    /// The type of the values, as an ``AttributeType``.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType) }
        set { attributeType = newValue.rawValue }
    }

    /// The class of the values, which follows from the type unless the program sets the class.
    open var attributeValueClassName: String? {
        get { storedValueClassName ?? attributeType.valueClassName }
        set {
            preconditionMutable(isFrozen, "NSAttributeDescription.attributeValueClassName")
            storedValueClassName = newValue
        }
    }

    /// The initial value in a new object.
    open var defaultValue: Any? {
        get { storedDefaultValue }
        set {
            preconditionMutable(isFrozen, "NSAttributeDescription.defaultValue")
            storedDefaultValue = newValue
        }
    }

    /// The name of the transformer of a transformable attribute; nil means a keyed archive.
    open var valueTransformerName: String? {
        get { storedValueTransformerName }
        set {
            preconditionMutable(isFrozen, "NSAttributeDescription.valueTransformerName")
            storedValueTransformerName = newValue
        }
    }

    /// Whether a large binary value may be kept in a file next to the store.
    open var allowsExternalBinaryDataStorage: Bool {
        get { storedAllowsExternalStorage }
        set {
            preconditionMutable(isFrozen, "NSAttributeDescription.allowsExternalBinaryDataStorage")
            storedAllowsExternalStorage = newValue
        }
    }

    /// Whether persistent history keeps the value of a deleted object.
    open var preservesValueInHistoryOnDeletion: Bool {
        get { storedPreservesValue }
        set {
            preconditionMutable(
                isFrozen, "NSAttributeDescription.preservesValueInHistoryOnDeletion")
            storedPreservesValue = newValue
        }
    }

    /// Whether CloudKit encrypts the value on Apple's systems; stored but not used here.
    open var allowsCloudEncryption: Bool {
        get { storedAllowsCloudEncryption }
        set {
            preconditionMutable(isFrozen, "NSAttributeDescription.allowsCloudEncryption")
            storedAllowsCloudEncryption = newValue
        }
    }

    /// ``defaultValue`` in the canonical form of the attribute's type; nil if it is unset or has
    /// another type.
    package var defaultConstant: AttributeConstant? {
        storedDefaultValue.flatMap { AttributeConstant($0, as: storedType) }
    }

    package var valueCoding: ValueCoding {
        switch storedType {
        case .transformableAttributeType: .transformed(by: storedValueTransformerName)
        case .undefinedAttributeType, .objectIDAttributeType: .untyped
        default: .plain
        }
    }

    /// The property's hash; see ``NSPropertyDescription/versionHash``.
    open override var versionHash: Data { super.versionHash }

    package override func makeCopy() -> NSPropertyDescription {
        let copy = NSAttributeDescription()
        copyContents(to: copy)
        return copy
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        guard let copy = copy as? NSAttributeDescription else { return }
        copy.storedType = storedType
        copy.storedValueClassName = storedValueClassName
        copy.storedDefaultValue = storedDefaultValue
        copy.storedValueTransformerName = storedValueTransformerName
        copy.storedAllowsExternalStorage = storedAllowsExternalStorage
        copy.storedPreservesValue = storedPreservesValue
        copy.storedAllowsCloudEncryption = storedAllowsCloudEncryption
    }
}

/// `@unchecked Sendable` because the setters trap once the model is frozen, as in
/// ``NSPropertyDescription``.
extension NSAttributeDescription: @unchecked Sendable {}

extension NSAttributeDescription {
    /// The type of an attribute.
    public struct AttributeType: Hashable, RawRepresentable, Sendable {
        /// The corresponding `NSAttributeType`.
        public var rawValue: NSAttributeType

        /// Creates the type from an `NSAttributeType`.
        public init(rawValue: NSAttributeType) { self.rawValue = rawValue }

        /// The type is not set yet; a model with such an attribute cannot be used.
        public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
        /// A 16-bit integer.
        public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
        /// A 32-bit integer.
        public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
        /// A 64-bit integer.
        public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
        /// A decimal number.
        public static let decimal = AttributeType(rawValue: .decimalAttributeType)
        /// A double.
        public static let double = AttributeType(rawValue: .doubleAttributeType)
        /// A float.
        public static let float = AttributeType(rawValue: .floatAttributeType)
        /// A string.
        public static let string = AttributeType(rawValue: .stringAttributeType)
        /// A Boolean value.
        public static let boolean = AttributeType(rawValue: .booleanAttributeType)
        /// A point in time.
        public static let date = AttributeType(rawValue: .dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
        /// A URI.
        public static let uri = AttributeType(rawValue: .URIAttributeType)
        /// An object that a value transformer encodes as bytes.
        public static let transformable = AttributeType(rawValue: .transformableAttributeType)
        /// The id of another object.
        public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
        /// A group of attributes.
        public static let composite = AttributeType(rawValue: .compositeAttributeType)
    }
}
