import CoreData
import Foundation

public class Author: NSManagedObject {}
