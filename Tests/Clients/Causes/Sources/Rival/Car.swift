import CoreData

public class Car: NSManagedObject {}
public func useRival() { _ = Car.self }
