import CoreData
import Foundation

public class Series: NSManagedObject {}
