import CoreData
import Foundation

public class Publisher: NSManagedObject {}
