import Foundation
open class NSPredicate: NSObject, @unchecked Sendable {}
open class NSSortDescriptor: NSObject, @unchecked Sendable {}
