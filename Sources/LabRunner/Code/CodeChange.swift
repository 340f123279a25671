import CoreData
import CoreDataEngine

/// A change of the code that is tried on all its contexts at once, without touching the code.
struct CodeChange: Sendable, Equatable {
    /// Settings that hold in place of those which the code gives its contexts.
    var settings: SettingOverrides?
    /// Each block begins with `refreshAllObjects()`.
    var refreshesBlocks = false
    /// All contexts have one queue: a block runs to its end before another one begins.
    var sharesQueue = false
    /// Each session runs to its end before another one begins.
    var isSerial = false
}

extension CodeChange {
    /// What a report calls a change, and what it does.
    struct Named {
        let name: String
        let change: CodeChange
        /// Whether it decides about saves alone, so that it cannot matter where threads wait.
        var isAboutSaves = false
    }

    /// The code as it is, and the changes of it, as a reader would write them.
    static var all: [Named] {
        [Named(name: "as it is", change: CodeChange())] + policies + [
            automatic(true), automatic(false),
            Named(
                name: "refreshAllObjects() first in each block",
                change: CodeChange(refreshesBlocks: true), isAboutSaves: true),
            Named(
                name: "all blocks on one queue, one after another",
                change: CodeChange(sharesQueue: true)),
            Named(name: "one session after another", change: CodeChange(isSerial: true)),
        ]
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

    /// A built-in policy as Swift spells it.
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
