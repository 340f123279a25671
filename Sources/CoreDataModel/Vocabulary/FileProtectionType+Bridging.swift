import Foundation

/// Bridges the names of protection classes to objects, as on Apple's systems. Programs write
/// `FileProtectionType.complete as NSObject` in the options of a store.
extension FileProtectionType: @retroactive _ObjectiveCBridgeable {
    /// The name as an object.
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    /// Reads the name from an object.
    public static func _forceBridgeFromObjectiveC(
        _ source: NSString, result: inout FileProtectionType?
    ) {
        result = _unconditionallyBridgeFromObjectiveC(source)
    }

    /// Reads the name from an object.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString, result: inout FileProtectionType?
    ) -> Bool {
        result = _unconditionallyBridgeFromObjectiveC(source)
        return true
    }

    /// The name that an object contains; the empty name if the object is nil.
    public static func _unconditionallyBridgeFromObjectiveC(
        _ source: NSString?
    ) -> FileProtectionType {
        FileProtectionType(rawValue: source?._bridgeToSwift() ?? "")
    }
}
