import CoreData
import CoreDataEngine

/// A change that the lab applies to the contexts or sessions of the tested code at run time,
/// without editing the code.
struct CodeChange: Sendable, Equatable {
    var settings: SettingOverrides?
    /// Whether each block begins with `refreshAllObjects()`.
    var refreshesBlocks = false
    /// Whether all contexts share one queue, so that blocks run one after another.
    var sharesQueue = false
    /// Whether each session runs to its end before another session begins.
    var isSerial = false
}

extension CodeChange {
    struct Named {
        let name: String
        let change: CodeChange
        /// Whether the change concerns only saves. It is not tried for failures that waits cause.
        var isAboutSaves = false
    }

    /// The unchanged code, then all changes. Changes that often remove the failure and need few
    /// schedules come first. Names are spelled as in Swift code.
    static var all: [Named] {
        [
            Named(name: "as it is", change: CodeChange()),
            Named(name: "one session after another", change: CodeChange(isSerial: true)),
            Named(
                name: "all blocks on one queue, one after another",
                change: CodeChange(sharesQueue: true)),
            Named(
                name: "refreshAllObjects() first in each block",
                change: CodeChange(refreshesBlocks: true), isAboutSaves: true),
            automatic(true),
        ] + policies + [automatic(false)]
    }

    private static var policies: [Named] {
        let types: [NSMergePolicyType] = [
            .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
            .rollbackMergePolicyType,
        ]
        return types.map { type in
            Named(
                name: "mergePolicy = \(name(type))",
                change: CodeChange(settings: SettingOverrides(mergePolicy: type)),
                isAboutSaves: true)
        }
    }

    private static func automatic(_ isOn: Bool) -> Named {
        Named(
            name: "automaticallyMergesChangesFromParent = \(isOn)",
            change: CodeChange(settings: SettingOverrides(mergesAutomatically: isOn)))
    }

    static func name(_ type: NSMergePolicyType) -> String {
        switch type {
        case .errorMergePolicyType: "error"
        case .mergeByPropertyStoreTrumpMergePolicyType: "mergeByPropertyStoreTrump"
        case .mergeByPropertyObjectTrumpMergePolicyType: "mergeByPropertyObjectTrump"
        case .overwriteMergePolicyType: "overwrite"
        case .rollbackMergePolicyType: "rollback"
        }
    }
}
