import CoreData
import Foundation

public class Book: Item {}
