import Foundation

/// On Apple's systems the names of protection classes are objects, so that programs write
/// `FileProtectionType.complete as NSObject` where they give an option to a store.
extension FileProtectionType: @retroactive _ObjectiveCBridgeable {
    /// The name as an object.
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    /// Takes the name from an object.
    public static func _forceBridgeFromObjectiveC(
        _ source: NSString, result: inout FileProtectionType?
    ) {
        result = _unconditionallyBridgeFromObjectiveC(source)
    }

    /// Takes the name from an object.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString, result: inout FileProtectionType?
    ) -> Bool {
        result = _unconditionallyBridgeFromObjectiveC(source)
        return true
    }

    /// The name that an object has; an empty one without an object.
    public static func _unconditionallyBridgeFromObjectiveC(
        _ source: NSString?
    ) -> FileProtectionType {
        FileProtectionType(rawValue: source?._bridgeToSwift() ?? "")
    }
}
