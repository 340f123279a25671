@_exported import CoreDataEngine
@_exported import CoreDataModel
@_exported import CoreDataPredicate
@_exported import Foundation
