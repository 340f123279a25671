@_exported import CoreDataEngine
@_exported import CoreDataModel
@_exported import CoreDataPredicate
@_exported import CoreDataStore

// Foundation on Linux declares these names as unavailable. Only an import that names a declaration
// takes precedence over a module that the file also imports, so these imports let `import CoreData`
// work next to `import Foundation` and `import XCTest`.
@_exported import class CoreDataPredicate.NSComparisonPredicate
@_exported import class CoreDataPredicate.NSCompoundPredicate
@_exported import class CoreDataPredicate.NSExpression
@_exported import class CoreDataPredicate.NSPredicate
@_exported import class CoreDataPredicate.NSSortDescriptor
