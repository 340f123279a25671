@_exported import CoreDataEngine
@_exported import CoreDataModel
@_exported import CoreDataPredicate
@_exported import CoreDataStore

// Foundation on Linux declares these names as unavailable, and its function `NSStringFromClass`
// ends the process for a nested class. An import of a single declaration takes precedence over the
// import of a module. With these imports, a file can import CoreData together with Foundation and
// XCTest.
@_exported import func CoreDataEngine.NSStringFromClass
@_exported import class CoreDataPredicate.NSComparisonPredicate
@_exported import class CoreDataPredicate.NSCompoundPredicate
@_exported import class CoreDataPredicate.NSExpression
@_exported import class CoreDataPredicate.NSPredicate
@_exported import class CoreDataPredicate.NSSortDescriptor
