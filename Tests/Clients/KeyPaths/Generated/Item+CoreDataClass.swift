import CoreData
import Foundation

open class Item: NSManagedObject {}
